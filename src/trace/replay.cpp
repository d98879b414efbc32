#include "memlane/trace/replay.hpp"

#include "memlane/count/derive.hpp"
#include "memlane/engine/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace memlane {

namespace {

SourceLine line_of(const TraceStep& step) { return {step.file, step.line}; }

/// A trace as instructions. Instruction 0 stands for all computation; its executions are the
/// counted operators. Waits of equal line are one instruction; requests of equal line, unit and
/// kind are one instruction.
class TraceCode {
public:
  TraceCode(const Trace& trace, const MachineSpec& machine) {
    kernel_.instructions.resize(1);
    kernel_.instructions[0].counted = true;
    kernel_.all_statements = false;
    for (const TraceLaunch& launch : trace.launches)
      for (const auto& [warp, steps] : launch.warps)
        for (const TraceStep& step : steps)
          if (step.kind == StepKind::request)
            add(step, machine);
          else if (step.kind == StepKind::wait && step.line > 0 &&
                   waits_.try_emplace(line_of(step), kernel_.instructions.size()).second)
            kernel_.instructions.emplace_back().line = line_of(step);
  }
  /// Of a wait (Step::instruction).
  std::int32_t instruction(const TraceStep& wait) const {
    return wait.line > 0 ? static_cast<std::int32_t>(waits_.at(line_of(wait))) : -1;
  }
  std::size_t site(const TraceStep& step) const { return sites_.at(key(step)); }
  const KernelInfo& kernel() const { return kernel_; }

private:
  using Key = std::tuple<SourceLine, UnitId, AccessKind>;
  static Key key(const TraceStep& step) { return {line_of(step), step.unit, step.access}; }
  void add(const TraceStep& step, const MachineSpec& machine) {
    if (!sites_.try_emplace(key(step), kernel_.sites.size()).second) return;
    SiteInfo& site = kernel_.sites.emplace_back();
    const bool shared = machine.shared && (!machine.global || step.unit == UnitId::shared);
    site.unit = shared ? UnitId::shared : UnitId::global;
    site.kind = step.access;
    site.global = !shared;
    site.line = line_of(step);
  }

  KernelInfo kernel_;
  std::map<Key, std::size_t> sites_;
  std::map<SourceLine, std::size_t> waits_; ///< instructions, by line
};

/// The warps of one launch of a trace.
class TraceStream : public WarpStream {
public:
  TraceStream(const TraceLaunch& launch, std::int64_t width, const TraceLines& lines,
              const TraceCode& code, std::int64_t& steps_left)
      : launch_(launch), width_(width), lines_(lines), code_(code), steps_left_(steps_left) {}

  Status start(std::int64_t block, Tally& tally) override {
    tally.executed.resize(1);
    computed_[block] = &tally.executed[0].warps;
    return Done{};
  }
  Result<Step> next(WarpRef ref) override;
  Status perform(WarpRef) override { return Done{}; }
  void released(std::int64_t) override {}
  void finish(std::int64_t block) override {
    computed_.erase(block);
    warps_.erase(warps_.lower_bound({block, 0}), warps_.lower_bound({block + 1, 0}));
  }

private:
  struct Warp {
    const std::vector<TraceStep>* steps = nullptr;
    std::size_t at = 0;
    Request request;
  };

  const TraceLaunch& launch_;
  std::int64_t width_;
  const TraceLines& lines_;
  const TraceCode& code_;
  std::int64_t& steps_left_;
  /// Keyed by resident block: the operators it has computed.
  std::map<std::int64_t, std::int64_t*> computed_;
  std::map<std::pair<std::int64_t, std::int64_t>, Warp> warps_; ///< started, of resident blocks
};

Result<Step> TraceStream::next(WarpRef ref) {
  if (steps_left_-- <= 0) return Step{StepKind::stop, nullptr, 0};
  const auto [entry, is_new] = warps_.try_emplace({ref.block, ref.warp});
  Warp& warp = entry->second;
  if (is_new) {
    const auto steps = launch_.warps.find({ref.block, ref.warp});
    if (steps != launch_.warps.end()) warp.steps = &steps->second;
  }
  if (!warp.steps || warp.at == warp.steps->size()) return Step{};
  const TraceStep& step = (*warp.steps)[warp.at++];
  if (step.kind == StepKind::compute) {
    std::int64_t& computed = *computed_.at(ref.block);
    if (__builtin_add_overflow(computed, step.value, &computed)) computed = INT64_MAX;
  }
  if (step.kind == StepKind::wait)
    return Step{
        step.kind,
        nullptr,
        0,
        OperationClass::other,
        code_.instruction(step),
        std::span(launch_.awaited)
            .subspan(static_cast<std::size_t>(step.value), static_cast<std::size_t>(step.awaited))};
  if (step.kind != StepKind::request) return Step{step.kind, nullptr, step.value, step.operation};
  const auto first = launch_.addresses.begin() + step.value;
  warp.request.unit = step.unit;
  warp.request.kind = step.access;
  warp.request.words_of_lane = step.words;
  warp.request.is_volatile = step.is_volatile;
  warp.request.uses_old = step.uses_old;
  warp.request.addresses.assign(first, first + width_);
  warp.request.span = lines_.span(line_of(step));
  warp.request.site = code_.site(step);
  return Step{StepKind::request, &warp.request, 0};
}

std::string describe(const MachineSpec& machine) {
  if (machine.name.empty()) return fmt::format("the machine ({})", name_of(machine.model));
  return fmt::format("machine \"{}\" ({})", machine.name, name_of(machine.model));
}

void check_launch(const Trace& trace, std::size_t number, const MachineSpec& machine,
                  Diagnostics& errors) {
  const LaunchShape& shape = trace.launches[number].shape;
  if (machine.model == Model::agpu && shape.threads != machine.width) {
    errors.push_back(
        error_in(trace.name,
                 fmt::format("launch {} has blocks of {} threads, those of {} have b = {}", number,
                             shape.threads, describe(machine), machine.width),
                 {"record a run whose launches have threads=b, or use an hmm"}));
  } else if (shape.threads > machine.threads) {
    errors.push_back(error_in(
        trace.name,
        fmt::format("launch {} has blocks of {} threads, {} allows at most {}", number,
                    shape.threads, describe(machine), machine.threads),
        {fmt::format("change the machine: --set threads={}",
                     (shape.threads + machine.width - 1) / machine.width * machine.width)}));
  }
  const std::int64_t held =
      (shape.threads + machine.width - 1) / machine.width * machine.width; // by a block, in warps
  if (machine.max_threads && shape.threads <= machine.threads && held > *machine.max_threads)
    errors.push_back(
        error_in(trace.name,
                 fmt::format("launch {} has blocks of {} threads in whole warps, {} holds {}",
                             number, held, describe(machine), *machine.max_threads),
                 {fmt::format("change the machine: --set max_threads={}", held)}));
  const std::int64_t registers = (shape.registers + 7) / 8 * 8 * held; // given out by eights
  if (machine.registers && registers > *machine.registers)
    errors.push_back(error_in(trace.name,
                              fmt::format("a block of launch {} has {} registers, {} has {}",
                                          number, registers, describe(machine), *machine.registers),
                              {fmt::format("change the machine: --set registers={}", registers)}));
  const std::int64_t words = shape.shared_words + (machine.shared ? machine.shared->reserved : 0);
  if (machine.shared && machine.shared->capacity && words > *machine.shared->capacity) {
    errors.push_back(error_in(
        trace.name,
        fmt::format("a block of launch {} has {} shared words, {} has a capacity of {}", number,
                    shape.shared_words, describe(machine), *machine.shared->capacity),
        {fmt::format("change the machine: --set {}={}",
                     machine.global ? "shared.capacity" : "capacity", words)}));
  }
}

/// Whether two neighbouring launches are of one stage.
bool same_stage(const Trace& trace, std::int64_t first, std::int64_t second) {
  const auto count = static_cast<std::int64_t>(trace.launches.size());
  const auto stage = [&](std::int64_t k) {
    return trace.launches[static_cast<std::size_t>(k)].stage;
  };
  return first >= 0 && second < count && stage(first) == stage(second);
}

/// The first and the last of several launches of one stage.
bool begins_stage(const Trace& trace, std::int64_t launch) {
  return same_stage(trace, launch, launch + 1) && !same_stage(trace, launch - 1, launch);
}
bool ends_stage(const Trace& trace, std::int64_t launch) {
  return same_stage(trace, launch - 1, launch) && !same_stage(trace, launch, launch + 1);
}

} // namespace

TraceLines::TraceLines(const Trace& trace) {
  for (const TraceLaunch& launch : trace.launches) {
    for (const auto& [warp, steps] : launch.warps) {
      for (const TraceStep& step : steps) {
        if (step.line > 0 && (lines_.empty() || lines_.back() != line_of(step))) {
          lines_.push_back(line_of(step));
        }
      }
    }
  }
  std::sort(lines_.begin(), lines_.end());
  lines_.erase(std::unique(lines_.begin(), lines_.end()), lines_.end());
  sources_ = files_of(trace);
  file_ = sources_.add(trace.name, std::string(lines_.size(), '\n'));
}

Span TraceLines::span(SourceLine line) const {
  if (line.second <= 0) return {};
  const auto place = std::lower_bound(lines_.begin(), lines_.end(), line) - lines_.begin();
  return {file_, static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(place) + 1};
}

SourceLine TraceLines::line(Span span) const {
  return span.known() ? lines_[span.begin] : SourceLine{0, 0};
}

Sources files_of(const Trace& trace) {
  Sources sources;
  for (const std::string& file : trace.files) sources.add(file, "");
  return sources;
}

Status check_replay(const Trace& trace, const MachineSpec& machine) {
  if (!has_requests(machine.model))
    return error_in(trace.name, fmt::format("{} does not count requests", describe(machine)),
                    {"use a dmm, a umm, an hmm or an agpu"});
  Diagnostics errors;
  if (trace.width != machine.width) {
    errors.push_back(
        error_in(trace.name,
                 fmt::format("the trace has width {}, {} has width {}", trace.width,
                             describe(machine), machine.width),
                 {fmt::format("use a machine of that width: --set width={}", trace.width)}));
  }
  if (trace.uses_shared && trace.uses_global && !(machine.shared && machine.global)) {
    errors.push_back(
        error_in(trace.name,
                 fmt::format("the trace uses shared and global memory, {} has one memory only",
                             describe(machine)),
                 {"use an hmm"}));
  }
  if (machine.requests_in_flight > 1 && trace.format == TraceFormat::plain)
    errors.push_back(error_in(
        trace.name,
        fmt::format("a warp of {} may have {} requests on their way, and a trace of format 1 does "
                    "not say which of them a step waits for",
                    describe(machine), machine.requests_in_flight),
        {"record the run on a machine with requests_in_flight, which writes format 2",
         "change the machine: --set requests_in_flight=1"}));
  for (std::size_t i = 0; i < trace.launches.size(); ++i) check_launch(trace, i, machine, errors);
  if (!errors.empty()) return errors;
  return Done{};
}

Replay replay(const Trace& trace, const MachineSpec& machine, const Limits& limits,
              Observer& observer) {
  Replay result;
  Status fits = check_replay(trace, machine);
  if (fits) fits = check_limits(machine, limits);
  if (!fits) {
    result.stop = Stop::error;
    result.errors = fits.errors();
    return result;
  }
  // Units without requests have counts as well.
  if (machine.shared) {
    result.counts.shared.resize(static_cast<std::size_t>(machine.multiprocessors));
  }
  if (machine.global) result.counts.global.resize(1);
  if (!is_timed(machine.model)) forget_time(result.counts);
  const TraceLines lines(trace);
  const TraceCode code(trace, machine);
  std::int64_t steps_left = limits.steps;
  for (const TraceLaunch& launch : trace.launches) {
    const auto number = static_cast<std::int64_t>(result.launches.size());
    TraceStream stream(launch, trace.width, lines, code, steps_left);
    if (begins_stage(trace, number)) observer.concurrent_begins(launch.stage);
    observer.launch_begins(number, launch.shape, {});
    LaunchOutcome outcome = run_launch(machine, launch.shape, stream, number, result.counts.time,
                                       limits, observer.times());
    outcome.tally.stage = launch.stage;
    LaunchSums sums(code.kernel(), machine);
    sums.add(outcome.tally);
    result.launches.push_back(sums.counts());
    if (!machine.global) result.launches.back().agpu.io.reset(); // memory arrays are not told apart
    result.counts += result.launches.back();
    result.stop = outcome.stop;
    result.errors = std::move(outcome.errors);
    if (result.stop != Stop::none) break;
    observer.launch_ends(number, outcome.tally);
    if (ends_stage(trace, number)) observer.concurrent_ends();
  }
  return result;
}

} // namespace memlane
