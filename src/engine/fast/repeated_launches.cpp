#include "repeated_launches.hpp"

#include "shared_execution.hpp"

#include <utility>

namespace memlane::fast {

namespace {

/// Launches that are kept, and their multiprocessors' tallies.
constexpr std::int64_t most_launches = 64, most_tallies = 8192;
/// To keep a launch costs about as much as so many steps.
constexpr std::int64_t least_steps = 1024;

bool is_room(const FastRun& fast, const MachineSpec& machine) {
  const std::int64_t launches = std::ssize(fast.known_launches) + 1;
  return launches <= most_launches &&
         launches * (std::ssize(fast.also) + 1) <= most_tallies / machine.multiprocessors;
}

bool ends_in_time(const FastRun& fast, const KnownLaunch& known, const Limits& limits,
                  Cycles start) {
  bool ends = known.tally.time <= reference::last_time(limits, start);
  for (std::size_t k = 0; k < fast.also.size(); ++k)
    ends = ends && known.elsewhere[k].time <= reference::last_time(limits, *fast.also[k].time);
  return ends;
}

LaunchOutcome repeat(FastRun& fast, KnownLaunch& known, const ir::Function& kernel,
                     const RunState& run, std::int64_t number) {
  LaunchOutcome outcome;
  fast.skipped_steps += known.steps;
  if (fast.skipped_steps >= std::int64_t{1} << 61 && !fast.too_large(kernel.span)) {
    outcome.stop = Stop::error;
    return outcome;
  }
  for (const WorkColumn& column : work_columns()) {
    const std::int64_t all = (known.work.*column.of).total;
    (fast.work.*column.of).add({all, all});
  }
  outcome.tally = known.tally;
  tell_others(fast.also, known.elsewhere, known.tally, run.launch.stage, number);
  return outcome;
}

} // namespace

LaunchOutcome run_or_repeat(FastRun& fast, const RunState& run, const ir::Function& kernel,
                            const LaunchShape& shape, std::vector<ir::Value> formals,
                            std::int64_t number, Cycles start,
                            const std::function<LaunchOutcome(LaunchRun& launch)>& run_launch) {
  const auto steps = [&] { return run.budget.steps + fast.skipped_steps; };
  const bool repeats = fast.timing_only && !run.executions && fast.halted == Halted::no;
  LaunchKey key;
  if (repeats) {
    key = launch_key(run.program, kernel, shape, formals);
    const auto known = fast.known_launches.find(key);
    if (known != fast.known_launches.end() &&
        ends_in_time(fast, known->second, *run.budget.limits, start))
      return repeat(fast, known->second, kernel, run, number);
  }
  const std::int64_t steps_before = steps();
  const EngineWork work_before = std::exchange(fast.work, {});
  LaunchRun launch(fast, run, kernel, shape, std::move(formals), number);
  LaunchOutcome outcome = run_launch(launch);
  if (repeats && fast.halted == Halted::no && outcome.stop == Stop::none &&
      steps() - steps_before >= least_steps && is_room(fast, run.machine))
    fast.known_launches[std::move(key)] = {outcome.tally, std::move(launch.elsewhere),
                                           steps() - steps_before, fast.work};
  fast.work += work_before;
  return outcome;
}

} // namespace memlane::fast
