// Which block runs where (configs/README.md section 4).
#include "launch_state.hpp"

#include <algorithm>

namespace memlane::reference {

namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// The most warps at once are counted, since they are what hides the latency.
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
  launch.resident[at(mp)] += 1;
  launch.blocks_started += 1;
  enter_warps(launch, mp);
  const Status started = launch.stream.start(block, launch.tally_of_block(block));
  if (!started) return launch.fail(started.errors());
  for (std::int64_t warp = 0; warp < launch.warps_of_block; ++warp) {
    const std::int64_t number = free * launch.warps_of_block + warp;
    launch.state(number) = {};
    launch.ready.insert(number);
  }
}

/// Static: block g runs on multiprocessor g mod d, in increasing order.
void start_static(Launch& launch) {
  for (std::int64_t mp = 0; mp < launch.multiprocessors; ++mp) {
    while (!launch.stopped() && launch.resident[at(mp)] < launch.slots_of_mp) {
      const std::int64_t block = mp + launch.started[at(mp)] * launch.machine.multiprocessors;
      if (block >= launch.shape.blocks) break;
      launch.started[at(mp)] += 1;
      start_block(launch, block, mp);
    }
  }
}

/// Dynamic: the next block to the multiprocessor with the fewest resident ones, ties to the lower.
void start_dynamic(Launch& launch) {
  while (!launch.stopped() && launch.blocks_started < launch.shape.blocks) {
    const auto fewest = std::min_element(launch.resident.begin(), launch.resident.end());
    if (*fewest >= launch.slots_of_mp) break;
    start_block(launch, launch.blocks_started, fewest - launch.resident.begin());
  }
}

void leave(Launch& launch) {
  std::sort(launch.ended_slots.begin(), launch.ended_slots.end());
  for (const std::int64_t slot : launch.ended_slots) {
    launch.stream.finish(launch.slot(slot).block);
    const std::int64_t mp = slot / launch.slots_of_mp;
    end_interval(launch, slot);
    launch.loads.add(mp, launch.slot(slot).loads[0], launch.slot(slot).loads[1]);
    launch.slot(slot) = {};
    launch.resident[at(mp)] -= 1;
    launch.for_units_of(mp, [&](UnitState& unit) { unit.resident -= launch.warps_of_block; });
    launch.blocks_finished += 1;
  }
  if (!launch.ended_slots.empty() && launch.limits.progress)
    launch.limits.progress->update_launch(launch.now.value, launch.blocks_finished);
  launch.ended_slots.clear();
}

} // namespace

bool change_blocks(Launch& launch) {
  const std::int64_t started = launch.blocks_started;
  const std::int64_t finished = launch.blocks_finished;
  leave(launch);
  if (launch.machine.block_schedule == BlockSchedule::dynamic) {
    start_dynamic(launch);
  } else {
    start_static(launch);
  }
  return launch.blocks_started != started || launch.blocks_finished != finished;
}

} // namespace memlane::reference
