// Which timeline a launch gets; the blocks that it starts and ends, and the accounts of its units.
#include "in_order.hpp"
#include "timeline.hpp"

#include <algorithm>

namespace memlane::fast {

bool executes_in_parts(const MachineSpec& machine, const LaunchShape& shape) {
  return Timeline::streams(machine, shape);
}

bool run_timeline(TimedLaunch& launch, BlockSource& blocks, const TakeBlock& take, Cycles limit,
                  LaunchTally& tally) {
  if (InOrderTimeline::serves(launch.machine) && !launch.warps_end_apart && !launch.ordered)
    return InOrderTimeline(launch, blocks, limit).run(tally);
  Timeline timeline(launch, blocks, take, limit);
  launch.drained = [&timeline] { return timeline.drained(); };
  const bool whole = timeline.run(tally);
  launch.drained = {};
  return whole;
}

bool run_timeline(TimedLaunch& launch, const TakeBlock& take, Cycles limit, LaunchTally& tally) {
  WholeBlocks blocks(take);
  return run_timeline(launch, blocks, take, limit, tally);
}

// Which block runs where (configs/README.md section 4).

bool Timeline::change_blocks() {
  if (halted_ || (ended_slots_.empty() && assignment_.started() > 0)) return false;
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
    if (launch_.execute_alike) mark(blocks(), at);
    ended = {};
    assignment_.leave(mp);
    for_units_of(mp, [&](Unit& unit) {
      unit.resident -= launch_.warps_of_block;
      if (unit.ledger.undecided.size() >= unit.decide_at) decide_closed(unit);
    });
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
  for (std::int64_t w = 0; w < launch_.warps_of_block; ++w) {
    const std::int64_t index = free * launch_.warps_of_block + w;
    warp(index).requested = false;
    if (several_) flights_of_[static_cast<std::size_t>(index)].restart();
  }
  if (!execute(place_of_block)) return false;
  begin_interval(free);
  return true;
}

/// If one block at a time is resident, its first interval; else the whole block, since a runner
/// executes one block after the other.
bool Timeline::execute(Slot& started) {
  if (take_) return take_(started.block, started.executed);
  if (!streams_) return execute_block(blocks_, started.block, started.executed);
  return blocks_.start(started.block) && blocks_.advance(started.executed.open());
}

// The cost of a launch, at its end or where it is stopped.

using reference::later;
using reference::saturating_multiply;

/// The caller stops the run: counts the requests of running blocks so far.
void Timeline::account_in_part() {
  for (std::size_t at = 0; at < slots_.size(); ++at) {
    if (slots_[at].block < 0) continue;
    if (streams_) blocks_.finish(slots_[at].executed.loads);
    add(slots_[at].executed.loads, mp_of_slot(static_cast<std::int64_t>(at)));
  }
  for (Scope& scope : scopes_) take_back(scope);
  account();
}

/// Adds the requests of a block, or of so many of them, on the multiprocessor that ran it.
void Timeline::add(const BlockLoads& loads, std::int64_t mp, std::int64_t blocks) {
  const auto of_mp = static_cast<std::size_t>(mp);
  if (machine_.shared) units_[of_mp].stages += loads.stages[0] * blocks;
  if (machine_.global) units_.back().stages += loads.stages[1] * blocks;
  if (!tally_->dynamic.empty()) add_requests(tally_->dynamic[of_mp], loads.requests);
}

/// A multiprocessor was moved ahead in time, with a request in flight all the time.
void Timeline::settle_latency(Unit& unit, Cycles now) {
  const Cycles begin = std::max(unit.ledger.until, later(unit.port.last, {1}));
  const Cycles end = std::min(now, unit.latency_until);
  if (begin < end) {
    unit.account->idle_latency += (end - begin).value;
    unit.ledger.uncharged += (end - begin).value;
  }
  unit.ledger.until = std::max(unit.ledger.until, end);
}

void Timeline::account() {
  tally_->time = later(now_, {skipped_});
  tally_->barriers = barriers_;
  launch_.timed.work.time_units.add({saturating_multiply(tally_->time.value, multiprocessors_), 0});
  std::vector<std::int64_t> stages;
  for (Unit& unit : units_) {
    settle(unit);
    reference::close(unit.ledger, unit.port, *unit.account, now_);
    unit.account->service_bound = unit.atomics.longest();
    stages.push_back(unit.stages);
  }
  for (OperationState& unit : operations_)
    if (unit.port.last >= now_) unit.account->busy += (now_ - unit.port.last).value - 1;
  for (OperationAccount& unit : tally_->operations) unit.idle = tally_->time.value - unit.busy;
  for (const auto& [at, flown] : flown_)
    add_to_port(at.block, at.mp, at.site, &PortTally::flown, flown);
  loads_.finish(*tally_, stages);
  for (auto* of_mp : {&tally_->shared, &tally_->ports})
    for (auto mp = static_cast<std::size_t>(multiprocessors_); mp < of_mp->size(); ++mp)
      (*of_mp)[mp].idle_empty = tally_->time.value;
}

} // namespace memlane::fast
