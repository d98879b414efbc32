// Scripts for the fast engine's clock, which takes what warps ask block by block.
#pragma once

#include "script.hpp"

#include "memlane/engine/timed_launch.hpp"

namespace memlane::test {

/// The steps of a block of a script, executed ahead of time.
void give_steps(const Script& script, std::int64_t block, const MachineSpec& machine,
                std::int64_t warps, BlockSteps& steps);

} // namespace memlane::test
