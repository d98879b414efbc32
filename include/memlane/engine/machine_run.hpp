// The reference machine: one launch, time unit by time unit (configs/README.md sections 3 to 5).
#pragma once

#include "memlane/engine/observer.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/support/limits.hpp"

namespace memlane {

struct LaunchOutcome {
  LaunchTally tally; ///< partial if stopped
  Stop stop = Stop::none;
  Diagnostics errors;
};

/// The tally of a launch that has executed nothing.
LaunchTally empty_tally(const MachineSpec& machine, const LaunchShape& shape);

/// Runs one launch to its end. `launch` is its number in the run, `start` the run's time at its
/// beginning: the observer and `limits.time` count from the start of the run. Requires a shape that
/// fits the machine. A machine with one memory unit serves every request with it, whichever unit
/// the request names. A request without an active thread is neither performed nor counted. The
/// observer is told of a dispatch after it was performed. If the launch stops early, the tally ends
/// at that time, but contains all stages of requests that were dispatched.
LaunchOutcome run_launch(const MachineSpec& machine, const LaunchShape& shape, WarpStream& warps,
                         std::int64_t launch, Cycles start, const Limits& limits,
                         Observer& observer);

} // namespace memlane
