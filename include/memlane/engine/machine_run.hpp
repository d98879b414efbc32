// The reference machine: one launch, time unit by time unit (model.md sections 3 to 5).
#pragma once

#include "memlane/engine/counts.hpp"
#include "memlane/engine/observer.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/support/source.hpp"

#include <functional>

namespace memlane {

/// Why a run stopped before its end.
enum class Stop : std::uint8_t {
  none,
  error, ///< of the program; `errors` says which
  steps, ///< limits
  time,
  memory,
  wall_clock,  ///< the caller's deadline
  interrupted, ///< the caller asked
};

/// How far a run may go. `check` is asked now and then and stops the run with what it returns.
struct Limits {
  std::int64_t steps = INT64_MAX;  ///< instructions executed by warps and host
  std::int64_t memory = INT64_MAX; ///< bytes of arrays
  std::int64_t time = INT64_MAX;   ///< time units
  std::function<Stop()> check;
};

struct LaunchOutcome {
  Counts counts; ///< of this launch, its launch_cost included; partial if stopped
  Stop stop = Stop::none;
  Diagnostics errors;
};

/// Runs one launch to its end. `launch` is its number; `start` the time the run has reached, for
/// the observer and for `limits.time`, which bounds the whole run. Requires a shape that fits the
/// machine. On a machine with one memory unit every request goes to it, whatever unit it names. A
/// request without an active thread is passed over: not counted, not performed. Dispatches are
/// observed after they were performed. If the launch stops before its end, its counts are those
/// up to that time, except that begun requests are counted whole.
LaunchOutcome run_launch(const MachineSpec& machine, const LaunchShape& shape, WarpStream& warps,
                         std::int64_t launch, Cycles start, const Limits& limits,
                         const Sources& sources, Observer& observer);

} // namespace memlane
