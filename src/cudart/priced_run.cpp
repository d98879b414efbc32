#include "priced_run.hpp"

#include "runtime.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace memlane::cudart {

namespace {

constexpr std::size_t most_order = std::size_t{1} << 20;
/// A run's results are written that often, in seconds, at most.
constexpr double least_pause = 0.2;

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

ptx::PriceOptions options_of(const PriceOrder& order, double begun) {
  ptx::PriceOptions options;
  options.races = order.races;
  options.limits.steps = order.most_steps;
  options.limits.time = order.most_time;
  options.limits.memory = order.most_memory;
  if (order.most_seconds > 0)
    options.limits.check = [most = order.most_seconds, begun] {
      return seconds_now() - begun > most ? Stop::wall_clock : Stop::none;
    };
  return options;
}

} // namespace

PricedRun::PricedRun(PriceOrder order)
    : order_(std::move(order)), begun_(seconds_now()),
      pricing_(order_.machine, options_of(order_, begun_),
               source_reader(std::filesystem::path(order_.program).parent_path().string())) {}

std::unique_ptr<PricedRun> PricedRun::ordered() {
  const char* const path = std::getenv(order_variable);
  if (!path || *path == '\0') return nullptr;
  Result<PriceOrder> order = read_price_order(file_text(path, most_order).value_or(""));
  if (order) return std::unique_ptr<PricedRun>(new PricedRun(std::move(*order)));
  say(render(order.errors(), Sources()) + "launches are not priced");
  return nullptr;
}

ptx::DeviceProperties PricedRun::properties() const {
  ptx::DeviceProperties properties;
  const MachineSpec& machine = order_.machine;
  properties.name = machine.name + " (memlane)";
  properties.multiprocessors = machine.multiprocessors;
  if (machine.registers) properties.registers_of_multiprocessor = *machine.registers;
  if (machine.max_threads) properties.threads_of_multiprocessor = *machine.max_threads;
  return properties;
}

Limits PricedRun::limits() const { return options_of(order_, begun_).limits; }

std::int64_t PricedRun::passed() {
  const std::int64_t now = pricing_.time().value;
  return now - std::exchange(time_, now);
}

void PricedRun::launched(const ptx::KernelInfo& kernel) {
  const bool known =
      std::any_of(machine_code_.begin(), machine_code_.end(),
                  [&](const MachineCode& code) { return code.kernel == kernel.name; });
  if (!known) machine_code_.push_back(machine_code_of(kernel));
  const double pause = std::max(least_pause, 10 * writing_);
  if (seconds_now() - written_ >= pause) write();
}

void PricedRun::write() {
  const double begin = seconds_now();
  RunReport report = priced_report(pricing_, order_.machine, order_.program, order_.sha256);
  report.cuda->machine_code = machine_code_;
  report.version = order_.version;
  report.machine_path = order_.machine_path;
  report.standard_machine = order_.standard_machine;
  report.host = order_.host;
  report.details = order_.details;
  for (const Format format : order_.formats) {
    const std::string path = order_.result_path(format), beside = path + ".new";
    std::FILE* const file = std::fopen(beside.c_str(), "we");
    if (!file) continue; // memlane cuda says that there is no result
    const std::string text = render_run(report, pricing_.sources(), format,
                                        format == Format::table ? order_.style : TableStyle{});
    const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (std::fclose(file) == 0 && whole) std::rename(beside.c_str(), path.c_str());
  }
  written_ = seconds_now();
  writing_ = written_ - begin;
}

} // namespace memlane::cudart
