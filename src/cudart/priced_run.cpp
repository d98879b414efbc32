#include "priced_run.hpp"

#include "runtime.hpp"

#include "memlane/kernels/explained.hpp"
#include "memlane/kernels/priced_run.hpp"
#include "memlane/ptx/names.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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
  options.sample_blocks = order.sample_blocks;
  options.executes_all = true;
  options.explains = order.explains || order.chart;
  options.limits.steps = order.most_steps;
  options.limits.time = order.most_time;
  options.limits.memory = order.most_memory;
  options.limits.check = [most = order.most_seconds, begun] {
    if (are_launches_stopped()) return Stop::interrupted;
    return most > 0 && seconds_now() - begun > most ? Stop::wall_clock : Stop::none;
  };
  return options;
}

/// Whether all of the text is in a new file, and in no pipe that the program has put there.
bool write_new(const std::string& path, const std::string& text) {
  ::unlink(path.c_str());
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return false;
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  const int error = errno;
  const bool whole = ::close(file) == 0 && done == text.size();
  if (!whole) ::unlink(path.c_str()); // others may need the space
  errno = error;
  return whole;
}

} // namespace

PricedRun::PricedRun(PriceOrder order)
    : order_(std::move(order)), begun_(seconds_now()),
      chart_(order_.chart ? std::make_unique<KernelTimeline>(order_.machine, order_.window)
                          : nullptr),
      pricing_(order_.machine, options_of(order_, begun_), source_reader(order_.program, say),
               chart_.get()) {
  if (chart_) chart_->lines_are_of(pricing_.sources());
}

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
  if (order_.device_memory > 0) properties.memory = order_.device_memory;
  if (!order_.prices) return properties;
  const MachineSpec& machine = order_.machine;
  properties.name = machine.name + " (memlane)";
  properties.multiprocessors = machine.multiprocessors;
  if (machine.clock) properties.clock_khz = *machine.clock / 1000;
  // Programs multiply it with the clock, and by two for both of its edges.
  if (machine.global)
    properties.bus_bits = machine.global->ports * machine.stage_words(*machine.global) * 32 / 2;
  if (machine.registers) properties.registers_of_multiprocessor = *machine.registers;
  if (machine.max_threads) {
    properties.threads_of_multiprocessor = *machine.max_threads;
    properties.blocks_of_multiprocessor = machine.resident_blocks;
  }
  if (machine.shared && machine.shared->capacity) {
    constexpr std::int64_t word = 4; // bytes
    const std::int64_t capacity = *machine.shared->capacity, own = machine.shared->reserved;
    properties.shared_of_multiprocessor = word * capacity;
    properties.shared_of_block_at_most = word * std::max<std::int64_t>(capacity - own, 0);
    properties.shared_of_block =
        std::min(properties.shared_of_block, properties.shared_of_block_at_most);
    if (machine.max_threads) properties.shared_of_system = word * own; // else not in the file
  }
  return properties;
}

Limits PricedRun::limits() const { return options_of(order_, begun_).limits; }

std::int64_t PricedRun::passed() {
  const std::int64_t now = (pricing_.time() + pricing_.sampled().further).value;
  return now - std::exchange(time_, now);
}

double PricedRun::nanoseconds(std::int64_t time) const {
  const std::optional<double> seconds = order_.machine.seconds(time);
  return seconds ? *seconds * 1e9 : static_cast<double>(time);
}

void PricedRun::launched(const ptx::KernelInfo& kernel, bool priced) {
  const bool known =
      std::any_of(machine_code_.begin(), machine_code_.end(),
                  [&](const MachineCode& code) { return code.kernel == kernel.name; });
  if (priced && !known) machine_code_.push_back(machine_code_of(kernel));
  const double pause = std::max(least_pause, 10 * writing_);
  if (seconds_now() - written_ >= pause) write(false);
}

void PricedRun::refused(const ptx::KernelInfo& kernel, const std::string& reason) {
  const std::string name = ptx::source_name(kernel.name);
  const auto known = std::find_if(refused_.begin(), refused_.end(), [&](const auto& before) {
    return before.kernel == name && before.reason == reason;
  });
  if (known != refused_.end())
    ++known->launches;
  else
    refused_.push_back({name, reason, 1});
}

/// Once: the chart is given away.
void PricedRun::write_chart(const RunReport& report, const ptx::Device& device) {
  const std::unique_ptr<KernelTimeline> chart = std::move(chart_);
  const FindMemory find = [&device](std::uint64_t address) {
    const ptx::DeviceVariable memory = device.range_of(address);
    return NamedMemory{"memory", memory.address, memory.bytes};
  };
  const Result<TimelineReport> drawn = chart->take(pricing_, report, find);
  if (!drawn) {
    write_new(order_.chart_errors_path(), render(drawn.errors(), Sources()));
    return;
  }
  write_new(order_.chart_notes_path(), chart_notes(*drawn));
  const std::string title = chart_title(*drawn);
  write_new(order_.chart_path(),
            timeline_in(*order_.chart, *drawn, pricing_.sources(), title, order_.command));
}

void PricedRun::write_end(const ptx::Device& device) {
  write(true);
  if (chart_) write_chart(report_now(), device);
}

RunReport PricedRun::report_now() const {
  RunReport report = priced_report(pricing_, order_.machine, order_.program, order_.sha256);
  report.cuda->machine_code = machine_code_;
  report.cuda->refused = refused_;
  report.version = order_.version;
  report.machine_path = order_.machine_path;
  report.standard_machine = order_.standard_machine;
  report.host = order_.host;
  report.details = order_.details;
  return report;
}

void PricedRun::write(bool ended) {
  if (!order_.prices) return;
  const double begin = seconds_now();
  RunReport report = report_now();
  if (order_.explains && ended)
    report.explanation =
        explained_part(explained_kernels(pricing_, order_.machine, order_.command, limits()));
  for (const Format format : order_.formats) {
    const std::string path = order_.result_path(format), beside = path + ".new";
    const std::string text = render_run(report, pricing_.sources(), format,
                                        format == Format::table ? order_.style : TableStyle{});
    if (write_new(beside, text) && std::rename(beside.c_str(), path.c_str()) == 0) continue;
    if (!std::exchange(failed_, true))
      say(fmt::format("warning: the result has not all launches, it cannot be written: {}",
                      std::strerror(errno)));
  }
  written_ = seconds_now();
  writing_ = written_ - begin;
}

} // namespace memlane::cudart
