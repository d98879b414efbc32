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

/// Runs one launch to its end. `launch` is its number; `start` the time the run has reached, for
/// the observer and for `limits.time`, which bounds the whole run. Requires a shape that fits the
/// machine. On a machine with one memory unit every request goes to it, whatever unit it names. A
/// request without an active thread is passed over: not counted, not performed. Dispatches are
/// observed after they were performed. If the launch stops before its end, its tally is that
/// up to that time, except that begun requests are counted whole.
LaunchOutcome run_launch(const MachineSpec& machine, const LaunchShape& shape, WarpStream& warps,
                         std::int64_t launch, Cycles start, const Limits& limits,
                         Observer& observer);

} // namespace memlane
