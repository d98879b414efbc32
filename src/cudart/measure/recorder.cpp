#include "recorder.hpp"

#include "next.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace memlane::cudart {

namespace {

std::string numbers(const Dim& d) { return json_dim({d.x, d.y, d.z}); }

/// 12040 is 12.4.
std::string version_text(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

/// A device as lines of measurements have it.
std::string device_text(int device) {
  const NextRuntime& next = next_runtime();
  constexpr int multiprocessor_count = 16, major = 75, minor = 76; // cudaDeviceAttr
  constexpr std::size_t name_bytes = 256, more_than_properties = 16384;
  alignas(16) char properties[more_than_properties] = {}; // begin with the name
  int count = 0, capability[2] = {}, driver = 0, runtime = 0;
  if (next.device_properties(properties, device) != Error::success) return "";
  next.device_attribute(&count, multiprocessor_count, device);
  next.device_attribute(&capability[0], major, device);
  next.device_attribute(&capability[1], minor, device);
  next.driver_version(&driver);
  next.runtime_version(&runtime);
  return fmt::format(
      R"({{"name":{},"multiprocessors":{},"compute_capability":"{}.{}","driver":"{}","runtime":"{}"}})",
      json_text(std::string(properties, strnlen(properties, name_bytes))), count, capability[0],
      capability[1], version_text(driver), version_text(runtime));
}

/// Nanoseconds between the events of a launch that has ended, or what went wrong.
std::string time_text(const MeasuredLaunch& launch, Error lost) {
  const NextRuntime& next = next_runtime();
  float milliseconds = 0;
  if (lost == Error::success) lost = next.elapsed_time(&milliseconds, launch.begin, launch.end);
  if (lost != Error::success) return fmt::format(R"("lost":"{}")", next.error_name(lost));
  // A float has 7 digits.
  return fmt::format(R"("ns":{:.7g})", std::max(1.0, static_cast<double>(milliseconds) * 1e6));
}

} // namespace

void LaunchRecorder::name(const void* function, std::string symbol) {
  const std::lock_guard<std::mutex> guard(lock_);
  symbols_[function] = std::move(symbol);
}

void LaunchRecorder::name_handle(const void* handle, const void* function) {
  std::string symbol = symbol_of(function);
  name(handle, std::move(symbol));
}

std::string LaunchRecorder::symbol_of(const void* function) {
  {
    const std::lock_guard<std::mutex> guard(lock_);
    const auto found = symbols_.find(function);
    if (found != symbols_.end()) return found->second;
  }
  const char* name = nullptr;
  const NextRuntime& next = next_runtime();
  const Aside aside;
  const bool is_known = next.function_name && aside.may_fail() &&
                        next.function_name(&name, function) == Error::success && name != nullptr;
  return is_known ? name : "?";
}

void LaunchRecorder::write(const std::string& members) {
  file_.write(fmt::format(R"({{{},"process":{}}})", members, getpid()));
}

void LaunchRecorder::add_device() {
  int device = 0;
  if (next_runtime().get_device(&device) == Error::success && devices_.insert(device).second)
    write(fmt::format(R"("device":{})", device_text(device)));
}

void LaunchRecorder::add(const MeasuredLaunch& launch) {
  const std::lock_guard<std::mutex> guard(lock_);
  if (process_ == 0) process_ = getpid();
  add_device();
  untold_.push_back(launch);
}

void LaunchRecorder::add_captured(const std::string& symbol) {
  const std::lock_guard<std::mutex> guard(lock_);
  write(fmt::format(R"("captured":{})", json_text(symbol)));
}

void LaunchRecorder::add_refused(const std::string& symbol, Error error) {
  const std::lock_guard<std::mutex> guard(lock_);
  write(fmt::format(R"("refused":"{}","symbol":{})", next_runtime().error_name(error),
                    json_text(symbol)));
}

void LaunchRecorder::tell(bool wait) {
  // Asking a driver for a few at a time costs less than asking at each launch.
  constexpr std::size_t few = 64;
  const std::lock_guard<std::mutex> guard(lock_);
  if (over_ || (!wait && untold_.size() < few)) return;
  const NextRuntime& next = next_runtime();
  while (!untold_.empty()) {
    const MeasuredLaunch& launch = untold_.front();
    Error lost = launch.lost;
    if (lost == Error::success)
      lost = wait ? next.event_synchronize(launch.end) : next.event_query(launch.end);
    if (lost == Error::not_ready) return;
    write(fmt::format(R"("launch":{},"symbol":{},"grid":{},"block":{},"dynamic_shared":{},{})",
                      launches_++, json_text(launch.symbol), numbers(launch.grid),
                      numbers(launch.block), launch.dynamic_shared, time_text(launch, lost)));
    for (Event* event : {launch.begin, launch.end})
      if (event) next.event_destroy(event);
    untold_.pop_front();
  }
}

void LaunchRecorder::tell_end() {
  if (process_ != getpid()) return; // a child of the process that launched
  tell(true);
  const std::lock_guard<std::mutex> guard(lock_);
  if (!over_) write(R"("end":true)");
  over_ = true;
}

} // namespace memlane::cudart
