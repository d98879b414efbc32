// Commands as points of plans: their words, the file they run, and a run in a process of its own.
#pragma once

#include "memlane/points/plan.hpp"
#include "memlane/store/sweep_run.hpp"

namespace memlane::cli {

/// Error: the command prices a part of its blocks only, so its time compares with no other.
Status check_times_all(const std::string& text);

/// Reads a command's words as `memlane cuda` or `memlane ptx` would, and its file. Errors: words
/// that these do not take; an option that is the plan's; a file that cannot be read, or whose name
/// depends on a value.
Result<sweep::KernelCommand> load_kernel_command(const sweep::SweptProgram& swept,
                                                 const Limits& limits);

/// Reads the launches of `ptx`. Errors: texts that are none.
Status check_launches(const std::vector<std::string>& words);

/// Runs commands in processes of their own, which end at the point's limits, or soon after the
/// check of `limits` asks to stop.
sweep::RunCommand run_kernel_commands(const sweep::PointLimits& limits);

} // namespace memlane::cli
