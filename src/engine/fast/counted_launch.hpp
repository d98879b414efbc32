// Launches that are counted, not timed (RunOptions::known_blocks).
#pragma once

#include "block_run.hpp"

namespace memlane::fast {

/// Whether the launch's counts do not depend on time, and the run asks for no more.
bool counts_alone(const LaunchRun& launch);

/// Executes the blocks of such a launch, one after the other, except those that are known; those
/// that it executes are known then. False if execution has halted.
bool run_counted(LaunchRun& launch, BlockRunner& blocks, LaunchTally& tally);

} // namespace memlane::fast
