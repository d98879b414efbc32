#include "memlane/kernels/explained.hpp"

#include "memlane/ptx/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace memlane {

namespace {

/// A change, and how the run is timed again with it.
struct TimedChange {
  Suggestion suggestion;
  ptx::Variation variation;
  std::optional<MachineSpec> machine;
};

/// The pattern of the costliest request of the costliest line.
void add_pattern(Account& account, const ptx::Pricing& pricing, const MachineSpec& machine) {
  if (!account.costliest || !pricing.keeps_requests()) return;
  CostlyLine& line = *account.costliest;
  const auto most = std::max_element(
      line.accesses.begin(), line.accesses.end(),
      [](const AccessCounts& a, const AccessCounts& b) { return a.conflicts() < b.conflicts(); });
  if (most == line.accesses.end() || most->conflicts() == 0) return;
  const auto request = pricing.costliest_request(most->line, most->unit, most->kind);
  if (!request) return;
  const UnitSpec& unit = most->unit == UnitId::global ? *machine.global : *machine.shared;
  line.pattern = pattern_of(unit, machine.width, request->first, request->of_lane);
  line.pattern_of = static_cast<std::size_t>(most - line.accesses.begin());
}

/// Which line of the sources a counted line is.
using LinesByPlace = std::map<SourceLine, ExplainedLine>;

LinesByPlace lines_of(const ptx::KernelRun& run, const MachineSpec& machine,
                      const Sources& sources) {
  LinesByPlace lines;
  for (const auto& [place, counts] : run.counts.lines) {
    if (counts.requests == 0) continue;
    Counts only;
    only.lines[place] = counts;
    lines[place].line = counted_lines(only, sources).front();
  }
  for (const AccessCounts& access : run.accesses)
    if (const auto line = lines.find(access.line); line != lines.end())
      line->second.waits += waits_of(access, machine);
  if (!machine.is_beyond_papers()) return lines;
  for (auto& [place, line] : lines) line.idle = 0;
  for (const UnitCounts& unit : run.counts.global)
    for (const LineWait& wait : line_waits(unit))
      if (const auto line = lines.find(wait.read); line != lines.end())
        *line->second.idle += wait.time;
  return lines;
}

std::vector<ExplainedLaunch> explained_launches(const ptx::Pricing& pricing) {
  std::vector<ExplainedLaunch> launches;
  for (const ptx::TimedLaunch& launch : pricing.launches()) {
    ExplainedLaunch& one = launches.emplace_back();
    one.number = launch.number;
    one.kernel = launch.kernel;
    one.blocks = launch.blocks;
    one.threads = launch.threads;
    one.time = launch.time.value;
    one.unit = launch.unit;
  }
  return launches;
}

/// By kernel, as PTX calls it.
/// The time of some kernels.
struct KernelTime {
  std::int64_t all = 0, beside_launches = 0;

  void add(const KernelTime& other) {
    all += other.all;
    beside_launches += other.beside_launches;
  }
};
using KernelTimes = std::map<std::string, KernelTime>;

/// Times a run again, with each change up to a multiple of its time. A change of one kernel helps
/// if it saves enough of that kernel's time.
class ChangeTimer {
public:
  ChangeTimer(const ptx::Pricing& pricing, const MachineSpec& machine, const RunResult& run,
              const Account& account, const Limits& limits)
      : pricing_(pricing), account_(account), limits_(limits), time_(run.counts.time.value),
        beside_launches_(time_beside_launches(machine, run.counts)) {
    constexpr std::int64_t small = 1 << 16;
    if (time_ <= INT64_MAX / most_work) limits_.time = std::max(small, most_work * time_);
    limits_.progress = nullptr;
    before_.requests = sum_of(run.counts.global).requests + sum_of(run.counts.shared).requests;
    before_.lost = sum_of(run.counts.global).conflicts() + sum_of(run.counts.shared).conflicts();
  }

  /// Tries a change, of a kernel that takes so long, or of all; keeps it if it helps.
  void try_change(TimedChange change, const KernelTime* of = nullptr) {
    if (change.machine) change.variation.machine = &*change.machine;
    const ptx::VariedRun varied = pricing_.time_again(change.variation, limits_);
    if (!varied.fits) return;
    if (varied.stop != Stop::none) {
      (varied.stop == Stop::time ? advice.too_long : advice.not_run) += 1;
      return;
    }
    Suggestion& suggestion = change.suggestion;
    advice.simulated.push_back(suggestion.change);
    if (!helps(varied.time, of ? of->beside_launches : beside_launches_)) return;
    suggestion.predicted_time = varied.time;
    suggestion.predicted_gain = time_ - varied.time;
    if (of) suggestion.kernel_time = of->all;
    suggestion.requests[0] = before_.requests;
    suggestion.requests[1] = varied.requests;
    suggestion.extra_stages[0] = before_.lost;
    suggestion.extra_stages[1] = varied.lost;
    add_latency(varied, suggestion);
    suggestions_.push_back(suggestion);
  }
  /// The run's time if a line lost no stages; none: a limit came first.
  std::optional<std::int64_t> time_without_lost(SourceLine line) const {
    ptx::Variation variation;
    variation.conflict_free = line;
    const ptx::VariedRun varied = pricing_.time_again(variation, limits_);
    return varied.stop == Stop::none ? std::optional(varied.time) : std::nullopt;
  }
  /// The run takes `time` instead; what the change is of took `of` beside the cost of launches.
  bool helps(std::int64_t time, std::int64_t of) const {
    return time < time_ &&
           static_cast<double>(time_ - time) >= least_gain * static_cast<double>(of);
  }
  std::int64_t gain(std::int64_t time) const { return time_ - time; }
  void finish() { advice.suggestions = best_suggestions(std::move(suggestions_)); }

  Advice advice;

private:
  void add_latency(const ptx::VariedRun& varied, Suggestion& suggestion) const {
    if (account_.units.empty()) return;
    const ExplainedUnit& unit = account_.units.front();
    const auto mp = static_cast<std::size_t>(unit.multiprocessor);
    suggestion.latency[0] = unit.time[static_cast<std::size_t>(Cause::latency)];
    suggestion.latency[1] = unit.unit == UnitId::global         ? varied.global_latency
                            : mp < varied.shared_latency.size() ? varied.shared_latency[mp]
                                                                : 0;
  }

  const ptx::Pricing& pricing_;
  const Account& account_;
  Limits limits_;
  std::int64_t time_, beside_launches_;
  ptx::VariedRun before_;
  std::vector<Suggestion> suggestions_;
};

/// `memlane ptx --set …` of `memlane ptx …`: the words of a CUDA program come last.
std::string with_option(const std::string& command, const std::string& option) {
  const std::size_t name = command.find(' ') + 1;
  const std::size_t end = std::min(command.find(' ', name), command.size());
  return fmt::format("{} {}{}", command.substr(0, end), option, command.substr(end));
}

void try_machines(ChangeTimer& timer, const MachineSpec& machine, const RunResult& run,
                  const std::string& command) {
  for (Change& change : latency_changes(machine, run)) {
    // Blocks keep the threads of their launch, and what is kept of warps the order of their steps.
    if (change.name == "threads" || change.name == "schedule") continue;
    TimedChange timed;
    timed.machine = machine;
    const bool of_blocks = change.name == "resident_blocks";
    (of_blocks ? timed.machine->resident_blocks : timed.machine->requests_in_flight) =
        std::atoll(change.value.c_str());
    timed.suggestion.command = with_option(command, "--set " + change.option_text());
    timed.suggestion.change = std::move(change);
    timer.try_change(std::move(timed));
  }
}

/// Spare words for the arrays that lose the most stages, behind rows of several lengths: PTX does
/// not say how long they are.
void try_paddings(ChangeTimer& timer, const ptx::Pricing& pricing, const KernelTimes& times) {
  std::vector<ptx::SharedArray> arrays = pricing.shared_arrays();
  std::stable_sort(arrays.begin(), arrays.end(),
                   [](const auto& a, const auto& b) { return a.lost > b.lost; });
  constexpr std::size_t most_arrays = 3;
  constexpr std::int64_t most_static_words = (48 << 10) / 4;
  constexpr std::int64_t rows[] = {32, 64, 16, 128, 8, 256};
  std::map<std::string, std::int64_t> words_of; // of the kernels
  for (const ptx::SharedArray& array : arrays) words_of[array.kernel] += array.words;
  arrays.resize(std::min(arrays.size(), most_arrays));
  for (const ptx::SharedArray& array : arrays)
    for (const std::int64_t row : rows) {
      if (array.lost == 0 || 2 * row > array.words || row % array.aligned != 0) continue;
      const std::string name = ptx::shared_array_name(array.name);
      TimedChange timed;
      timed.variation.padded = ptx::PaddedArray{array, row, array.aligned};
      timed.suggestion.change = {ChangeKind::layout, fmt::format("{}::{}", array.kernel, name),
                                 fmt::format("padded({}) in rows of {}", array.aligned, row)};
      const std::int64_t words = words_of[array.kernel] + array.words / row * array.aligned;
      timed.suggestion.words = fmt::format(
          "{} behind each {} words of the shared array {} in kernel {}{}",
          array.aligned == 1 ? "a spare word" : fmt::format("{} spare words", array.aligned), row,
          name, array.kernel,
          words > most_static_words ? " (as dynamic shared memory: static arrays have 48 KiB)"
                                    : "");
      timer.try_change(std::move(timed), &times.at(array.kernel));
    }
}

/// The lines that lose the most stages, without them.
void try_lines(ChangeTimer& timer, std::vector<LinesByPlace>& kernels,
               const std::vector<KernelTime>& times) {
  constexpr std::size_t most_lines = 6;
  std::map<SourceLine, std::int64_t> lost;
  std::map<SourceLine, KernelTime> time_of; // of the kernels that have the line
  for (std::size_t k = 0; k < kernels.size(); ++k)
    for (const auto& [place, line] : kernels[k]) {
      lost[place] += line.line.counts.conflicts();
      time_of[place].add(times[k]);
    }
  std::vector<std::pair<std::int64_t, SourceLine>> order;
  for (const auto& [place, stages] : lost)
    if (stages > 0) order.emplace_back(-stages, place);
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), most_lines));
  for (const auto& [stages, place] : order) {
    const auto time = timer.time_without_lost(place);
    if (!time) continue;
    for (LinesByPlace& lines : kernels)
      if (const auto line = lines.find(place); line != lines.end())
        line->second.conflict_free = time;
    std::optional<ConflictFreeLine>& best = timer.advice.conflict_free;
    if (best && best->predicted_time <= *time) continue;
    if (!timer.helps(*time, time_of[place].beside_launches)) continue;
    best = ConflictFreeLine{place, place.second, -stages, *time, timer.gain(*time)};
  }
}

} // namespace

Explanation explained_kernels(const ptx::Pricing& pricing, const MachineSpec& machine,
                              const std::string& command, const Limits& limits) {
  const RunResult run = pricing.result();
  const Sources& sources = pricing.sources();
  Explanation explanation{account_of(machine, run, sources), {}, ExplainedCuda{}};
  add_pattern(explanation, pricing, machine);
  ExplainedCuda& cuda = *explanation.cuda;
  cuda.launches = explained_launches(pricing);
  std::vector<ptx::KernelRun> kernels = pricing.kernels();
  std::stable_sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) {
    return a.counts.time.value > b.counts.time.value;
  });
  std::vector<LinesByPlace> lines;
  std::vector<KernelTime> times;
  KernelTimes time_of;
  for (const ptx::KernelRun& kernel : kernels) {
    lines.push_back(lines_of(kernel, machine, sources));
    times.push_back({kernel.counts.time.value, time_beside_launches(machine, kernel.counts)});
    time_of[kernel.kernel].add(times.back());
  }
  if (run.stop == Stop::none && pricing.keeps_requests()) {
    ChangeTimer timer(pricing, machine, run, explanation, limits);
    try_machines(timer, machine, run, command);
    try_paddings(timer, pricing, time_of);
    try_lines(timer, lines, times);
    timer.finish();
    explanation.advice = std::move(timer.advice);
  } else if (run.stop == Stop::none) {
    cuda.untried = "Nothing was tried: the run makes more requests than are kept. A smaller "
                   "problem of the same kind can be explained.";
  }
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    RunResult of_kernel;
    of_kernel.stop = run.stop;
    of_kernel.counts = std::move(kernels[k].counts);
    of_kernel.accesses = std::move(kernels[k].accesses);
    ExplainedKernel& kernel = cuda.kernels.emplace_back();
    static_cast<Account&>(kernel) = account_of(machine, of_kernel, sources);
    add_pattern(kernel, pricing, machine);
    kernel.name = kernels[k].kernel;
    for (auto& [place, line] : lines[k]) kernel.lines.push_back(std::move(line));
  }
  return explanation;
}

} // namespace memlane
