// Which block runs where (configs/README.md section 4).
#include "timeline.hpp"

#include <algorithm>

namespace memlane::fast {

namespace {

std::size_t place(std::int64_t index) { return static_cast<std::size_t>(index); }

} // namespace

bool Timeline::change_blocks() {
  if (halted_) return false;
  const std::int64_t started = blocks_started_, finished = blocks_finished_;
  if (!leave() || !start_blocks()) {
    halted_ = true;
    return false;
  }
  return blocks_started_ != started || blocks_finished_ != finished;
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
    resident_[place(mp)] -= 1;
    for_units_of(mp, [&](Unit& unit) { unit.resident -= launch_.warps_of_block; });
    blocks_finished_ += 1;
  }
  ended_slots_.clear();
  return true;
}

bool Timeline::start_blocks() {
  if (machine_.block_schedule == BlockSchedule::dynamic) {
    while (blocks_started_ < launch_.shape.blocks) {
      const auto fewest = std::min_element(resident_.begin(), resident_.end());
      if (*fewest >= slots_of_mp_) break;
      if (!start_block(blocks_started_, fewest - resident_.begin())) return false;
    }
    return true;
  }
  for (std::int64_t mp = 0; mp < multiprocessors_; ++mp) {
    while (resident_[place(mp)] < slots_of_mp_) {
      const std::int64_t block = mp + started_[place(mp)] * machine_.multiprocessors;
      if (block >= launch_.shape.blocks) break;
      started_[place(mp)] += 1;
      if (!start_block(block, mp)) return false;
    }
  }
  return true;
}

bool Timeline::start_block(std::int64_t block, std::int64_t mp) {
  std::int64_t free = mp * slots_of_mp_;
  while (slot(free).block >= 0) ++free; // the lowest free slot
  Slot& place_of_block = slot(free);
  place_of_block.block = block;
  resident_[place(mp)] += 1;
  blocks_started_ += 1;
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

/// One block at a time: its first interval, the others when they begin. Else all of them now, since
/// a runner executes blocks one after the other.
bool Timeline::execute(Slot& started) {
  if (ahead_) return ahead_->take(started.block, started.executed);
  if (!streams_) return execute_block(blocks_, started.block, started.executed);
  return blocks_.start(started.block) && blocks_.advance(started.executed.open());
}

} // namespace memlane::fast
