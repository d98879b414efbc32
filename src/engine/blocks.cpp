// The assignment of blocks to multiprocessors (configs/README.md section 4).
#include "launch_state.hpp"

#include <algorithm>

namespace memlane::reference {

namespace {

/// Updates the largest number of warps resident at the same time: they hide the latency.
void enter_warps(Launch& launch, std::int64_t mp) {
  launch.for_units_of(mp, [&](UnitState& unit) {
    unit.resident += launch.warps_of_block;
    unit.account->resident_warps = std::max(unit.account->resident_warps, unit.resident);
  });
}

void start_block(Launch& launch, std::int64_t block, std::int64_t mp) {
  poll(launch);
  std::int64_t free = mp * launch.slots_of_mp;
  while (launch.slot(free).block >= 0) ++free; // the lowest free slot
  launch.slot(free) = {};
  launch.slot(free).block = block;
  enter_warps(launch, mp);
  launch.observer.block_starts({launch.number, block, mp, free - mp * launch.slots_of_mp});
  const Status started = launch.stream.start(block, launch.tally_of_block(block));
  if (!started) return launch.fail(started.errors());
  for (std::int64_t warp = 0; warp < launch.warps_of_block; ++warp) {
    const std::int64_t number = free * launch.warps_of_block + warp;
    launch.state(number) = {};
    launch.ready.insert(number);
  }
}

void leave(Launch& launch) {
  std::sort(launch.ended_slots.begin(), launch.ended_slots.end());
  for (const std::int64_t slot : launch.ended_slots) {
    launch.observer.block_ends(launch.number, launch.slot(slot).block);
    launch.stream.finish(launch.slot(slot).block);
    const std::int64_t mp = slot / launch.slots_of_mp;
    end_interval(launch, slot);
    launch.loads.add(mp, launch.slot(slot).loads[0], launch.slot(slot).loads[1]);
    launch.slot(slot) = {};
    launch.blocks.leave(mp);
    launch.for_units_of(mp, [&](UnitState& unit) { unit.resident -= launch.warps_of_block; });
  }
  if (!launch.ended_slots.empty() && launch.limits.progress)
    launch.limits.progress->update_launch(launch.now.value, launch.blocks.finished());
  launch.ended_slots.clear();
}

} // namespace

bool change_blocks(Launch& launch) {
  const std::int64_t started = launch.blocks.started();
  const std::int64_t finished = launch.blocks.finished();
  leave(launch);
  while (!launch.stopped()) {
    const auto next = launch.blocks.next();
    if (!next) break;
    start_block(launch, next->block, next->multiprocessor);
  }
  return launch.blocks.started() != started || launch.blocks.finished() != finished;
}

} // namespace memlane::reference
