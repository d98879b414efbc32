// The front of time/: what other folders may use of it. Execution logs what warps ask; a timeline
// finds when each of it happens.
#pragma once

#include "fast/time/block_source.hpp"

namespace memlane::fast {

/// Whether one block at a time is resident: then its intervals are executed when they begin, long
/// ones in parts, which takes a source that pauses.
bool executes_in_parts(const MachineSpec& machine, const LaunchShape& shape);

/// Executes and times a launch to its end; false if execution has halted, or time would pass the
/// limit. Sets what time decides: time, barriers, the units' accounts, and which multiprocessors
/// ran the blocks where the schedule is dynamic.
/// Where blocks are executed as a whole, `take` gives them; empty: `blocks` does.
bool run_timeline(TimedLaunch& launch, BlockSource& blocks, const TakeBlock& take, Cycles limit,
                  LaunchTally& tally);

/// run_timeline of blocks that `take` gives, whatever the timeline takes at a time.
bool run_timeline(TimedLaunch& launch, const TakeBlock& take, Cycles limit, LaunchTally& tally);

} // namespace memlane::fast
