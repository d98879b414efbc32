// Launches of a run without data depend on their kernel, formals and shape only: the first of those
// that are alike tells what the others add.
#pragma once

#include "launch_run.hpp"

#include <functional>

namespace memlane::fast {

/// As run(launch), or what an earlier launch gave that is alike. Several launches are kept until
/// the run's end.
LaunchOutcome run_or_repeat(FastRun& fast, const RunState& run, const ir::Function& kernel,
                            const LaunchShape& shape, std::vector<ir::Value> formals,
                            std::int64_t number, Cycles start,
                            const std::function<LaunchOutcome(LaunchRun& launch)>& run_launch);

} // namespace memlane::fast
