// Which block runs where (configs/README.md section 4).
#include "timeline.hpp"

#include <algorithm>

namespace memlane::fast {

bool Timeline::change_blocks() {
  if (halted_) return false;
  const std::int64_t started = assignment_.started(), finished = assignment_.finished();
  if (!leave() || !start_blocks()) {
    halted_ = true;
    return false;
  }
  return assignment_.started() != started || assignment_.finished() != finished;
}

bool Timeline::leave() {
  std::sort(ended_slots_.begin(), ended_slots_.end());
  for (const std::int64_t at : ended_slots_) {
    Slot& ended = slot(at);
    if (streams_ && !blocks_.finish(ended.executed.loads)) return false;
    const std::int64_t mp = mp_of_slot(at);
    const BlockLoads& loads = ended.executed.loads;
    loads_.add(mp, loads.of[0], loads.of[1]);
    add(loads, mp);
    ended = {};
    assignment_.leave(mp);
    for_units_of(mp, [&](Unit& unit) { unit.resident -= launch_.warps_of_block; });
  }
  ended_slots_.clear();
  return true;
}

bool Timeline::start_blocks() {
  while (const auto next = assignment_.next())
    if (!start_block(next->block, next->multiprocessor)) return false;
  return true;
}

bool Timeline::start_block(std::int64_t block, std::int64_t mp) {
  std::int64_t free = mp * slots_of_mp_;
  while (slot(free).block >= 0) ++free; // the lowest free slot
  Slot& place_of_block = slot(free);
  place_of_block.block = block;
  for_units_of(mp, [&](Unit& unit) {
    unit.resident += launch_.warps_of_block;
    unit.account->resident_warps = std::max(unit.account->resident_warps, unit.resident);
  });
  for (std::int64_t w = 0; w < launch_.warps_of_block; ++w)
    warp(free * launch_.warps_of_block + w).requested = false;
  if (!execute(place_of_block)) return false;
  begin_interval(free);
  return true;
}

/// If one block at a time is resident, its first interval; else the whole block, since a runner
/// executes one block after the other.
bool Timeline::execute(Slot& started) {
  if (ahead_) return ahead_->take(started.block, started.executed);
  if (!streams_) return execute_block(blocks_, started.block, started.executed);
  return blocks_.start(started.block) && blocks_.advance(started.executed.open());
}

} // namespace memlane::fast
