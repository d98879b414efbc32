// The fast engine's launches, for a run of `run_with`.
#pragma once

#include "host.hpp"
#include "launch_run.hpp"

namespace memlane::fast {

/// Refers to both. Where `run.halted` is set, the result of the run says nothing, unless the
/// caller asked to stop.
Launcher launcher(FastRun& run);

} // namespace memlane::fast
