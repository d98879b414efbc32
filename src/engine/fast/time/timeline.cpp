#include "timeline.hpp"

#include <algorithm>
#include <utility>

namespace memlane::fast {

using reference::later;
using reference::saturating_multiply;

bool Timeline::streams(const MachineSpec& machine, const LaunchShape& shape) {
  const reference::Residency residency(machine, shape);
  return residency.multiprocessors == 1 && residency.slots == 1;
}

Timeline::Timeline(TimedLaunch& launch, BlockSource& blocks, const TakeBlock& take, Cycles limit)
    : launch_(launch), blocks_(blocks), take_(take), machine_(launch.machine), limit_(limit),
      residency_(machine_, launch.shape), multiprocessors_(residency_.multiprocessors),
      slots_of_mp_(residency_.slots), tile_warps_(launch.tile_warps),
      streams_(!take && streams(machine_, launch.shape)),
      loads_(machine_, launch.shape, residency_), assignment_(machine_, launch.shape, residency_),
      has_own_ports_(machine_.has_own_ports()), beyond_papers_(machine_.is_beyond_papers()),
      several_(machine_.requests_in_flight > 1) {}

void Timeline::set_up() {
  const auto mps = static_cast<std::size_t>(multiprocessors_);
  const std::int64_t warps_of_mp = slots_of_mp_ * launch_.warps_of_block;
  const std::int64_t warps = multiprocessors_ * warps_of_mp;
  warps_.resize(static_cast<std::size_t>(warps));
  for (std::int64_t index = 0; index < warps; ++index) {
    Warp& state = warp(index);
    const std::int64_t number = index % launch_.warps_of_block;
    state.slot = static_cast<std::int32_t>(index / launch_.warps_of_block);
    state.mp = static_cast<std::int32_t>(index / warps_of_mp);
    state.tile = static_cast<std::int32_t>(number / tile_warps_);
    state.place = static_cast<std::int32_t>(number % tile_warps_);
  }
  slots_.resize(mps * static_cast<std::size_t>(slots_of_mp_));
  const auto add_unit = [&](const UnitSpec& spec, UnitAccount& account, std::int64_t first,
                            std::int64_t served) {
    Unit& unit = units_.emplace_back();
    unit.spec = &spec;
    unit.account = &account;
    unit.first_warp = first;
    unit.served = served;
    unit.waiting = reference::WarpSet(served);
    unit.ledger.uncharged = -machine_.launch_cost.value; // no warp waits then
  };
  units_.reserve(2 * mps + 1);
  for (std::size_t mp = 0; mp < mps && machine_.shared; ++mp)
    add_unit(*machine_.shared, tally_->shared[mp], static_cast<std::int64_t>(mp) * warps_of_mp,
             warps_of_mp);
  if (has_own_ports_) own_port_ = reference::own_port_of(*machine_.global);
  for (std::size_t mp = 0; mp < mps && has_own_ports_; ++mp)
    add_unit(own_port_, tally_->ports[mp], static_cast<std::int64_t>(mp) * warps_of_mp,
             warps_of_mp);
  if (machine_.global) add_unit(*machine_.global, tally_->global[0], 0, warps);
  global_in_flight_.resize(mps);
  isolated_since_.resize(mps);
  for (std::int64_t mp = 0; mp < multiprocessors_; ++mp)
    scopes_.emplace_back(mp, 1, slots_of_mp_, launch_.warps_of_block);
  for (int k = 0; k < 3; ++k) {
    scopes_.emplace_back(0, multiprocessors_, slots_of_mp_, launch_.warps_of_block);
    scopes_.back().whole = true;
  }
  blocks().of_blocks = true;
  if (beyond_papers_) set_up_beyond();
}

bool Timeline::run(LaunchTally& tally) {
  tally_ = &tally;
  set_up();
  now_ = machine_.launch_cost;
  while (time_unit()) now_ = next_time();
  if (halted_) {
    if (launch_.timed.halted == Halted::asked) account_in_part();
    return false;
  }
  if (late()) return launch_.timed.halt(Halted::refused);
  account();
  return true;
}

/// The phases of one time unit (section 3); false at the launch's end.
bool Timeline::time_unit() {
  if (late()) return false;
  launch_.now = reference::later(now_, {skipped_});
  launch_.blocks_done = assignment_.finished();
  if (!moved_.empty() && !charge_moved()) return false;
  moved_until_ = now_;
  complete(); // (1)
  do {
    take_zero_time_steps();  // (2)
  } while (change_blocks()); // (3)
  if (halted_ || (assignment_.over() && in_flight_ == 0)) return false;
  begin_round();
  dispatch(); // (4)
  if (!marked_.empty() && !repeat_periods()) return !(halted_ = true);
  return launch_.poll() || !(halted_ = true);
}

void Timeline::take_zero_time_steps() {
  while (!halted_ && (!ready_.empty() || !opening_.empty())) {
    if (ready_.empty()) {
      const std::int64_t at = opening_.back();
      opening_.pop_back();
      release(at);
      continue;
    }
    const std::int64_t next = ready_.back();
    ready_.pop_back();
    advance_warp(next);
  }
}

void Timeline::complete() {
  due_.take(now_, [&](std::int64_t due) {
    const std::int64_t index = due / kinds_due;
    switch (static_cast<Due>(due % kinds_due)) {
    case Due::completion: return complete(index);
    case Due::departure: return leaving_.push_back(index);
    case Due::operator_: return operated_.push_back(index);
    }
  });
  ready_.insert(ready_.end(), going_on_.begin(), going_on_.end());
  going_on_.clear();
  while (!events_.empty() && events_.top().time == now_) {
    const std::int64_t index = events_.top().index;
    events_.pop();
    timed_ -= 1;
    if (index < 0) {
      release(~index);
    } else {
      ready_.push_back(index);
    }
  }
  if (!operated_.empty()) end_operations();
  if (!leaving_.empty()) depart();
}

void Timeline::complete(std::int64_t request) {
  in_flight_ -= 1;
  const std::int64_t index = warp_of(request);
  const Warp& state = warp(index);
  if (several_ ? flying_[static_cast<std::size_t>(request)].global : state.ask != Ask::shared) {
    global_in_flight_[static_cast<std::size_t>(state.mp)] -= 1;
    isolated_since_[static_cast<std::size_t>(state.mp)] = now_;
  }
  for_units_of(state.mp, [&](Unit& serving) {
    settle(serving);
    serving.ledger.in_flight -= 1;
    if (serving.ledger.in_flight == 0) serving.emptied = now_;
  });
  several_ ? land(request) : ready_.push_back(index);
}

Cycles Timeline::next_time() {
  const Cycles soonest = later(now_, {1});
  if (!groups_.empty() || !going_on_.empty()) return soonest;
  Cycles next = reference::never;
  if (!events_.empty()) next = events_.top().time;
  for (const Unit* unit : offered_)
    next = std::min(next, reference::next_room(unit->port, *unit->spec, now_));
  for (const OperationState* unit : operating_)
    next = std::min(next, reference::next_room(unit->port, unit->unit, now_));
  return next > soonest ? due_.next(now_, next) : next;
}

// What warps do in no time.

void Timeline::advance_warp(std::int64_t index) {
  Warp& state = warp(index);
  std::optional<WaitCause> over = std::exchange(state.waiting, std::nullopt);
  if (over == WaitCause::port) end_wait({WaitCause::port, index});
  if (over == WaitCause::requests) end_wait_for_requests(index);
  const std::int64_t at = state.slot;
  const Interval& interval = slot(at).executed.present();
  const StepLog& log = interval.tiles[static_cast<std::size_t>(state.tile)];
  const auto place = static_cast<std::uint32_t>(state.place);
  std::int64_t computed = 0;
  // Computations that follow each other are one.
  const auto end_computation = [&] {
    if (over == WaitCause::computation) end_wait({WaitCause::computation, index});
  };
  const auto ask = [&](const Entry& entry, Ask whom, std::uint32_t stages, std::int32_t number) {
    ++state.next;
    state.returns = entry.returns;
    end_computation();
    offer(index, whom, stages, number);
  };
  while (state.next < log.entries.size() || (interval.partial && computed == 0)) {
    if (state.next == log.entries.size()) {
      if (!extend(at)) return;
      continue;
    }
    const Entry& entry = log.entries[state.next];
    if (entry.ask == Ask::repeat) {
      computed = reference::saturating_add(computed, log.repeat(state.next, state.left, place));
      mark(index);
      continue;
    }
    if (entry.ask == Ask::atomic) {
      if (computed > 0) break;
      const auto stages = static_cast<std::uint32_t>(log.atomics[entry.amount].groups.size());
      return ask(entry, Ask::global, stages, static_cast<std::int32_t>(entry.amount));
    }
    if (entry.ask == Ask::port) {
      const PortAccess& access = log.port(entry, place);
      if (access.stages > 0 && computed > 0) break;
      if (access.stages > 0)
        return ask(entry, Ask::port, access.stages,
                   static_cast<std::int32_t>(&access - log.ports.data()));
      ++state.next;
      continue;
    }
    if (entry.ask == Ask::wait) {
      const Wait* const wait = log.wait(entry, place);
      if (wait && waits_for(index, *wait)) {
        if (computed > 0) break;
        end_computation();
        return stall(index);
      }
      if (wait && over == WaitCause::value) {
        end_wait_before(index, *wait);
        over.reset();
      }
      ++state.next;
      continue;
    }
    const std::uint32_t amount = entry.each ? log.amounts[entry.amount + place] : entry.amount;
    if (entry.ask == Ask::operate) {
      ++state.next;
      if (amount == 0) continue;
      operators_[static_cast<std::size_t>(index)] = Operators::of(amount);
      timed_ += 1;
      end_computation();
      return operate(index);
    }
    if (entry.ask != Ask::compute && amount > 0) {
      if (computed > 0) break; // the computation goes before
      return ask(entry, entry.ask, amount, -1);
    }
    computed = reference::saturating_add(computed, amount);
    ++state.next;
  }
  if (computed > 0) return compute(index, computed);
  end_computation();
  leave_interval(index, over == WaitCause::value);
}

void Timeline::compute(std::int64_t index, std::int64_t operators) {
  Warp& state = warp(index);
  const Cycles cost{saturating_multiply(operators, machine_.instruction_cost.value)};
  state.wakes = later(now_, cost);
  state.waiting = WaitCause::computation;
  events_.push({state.wakes, index});
  timed_ += 1;
}

/// The warp goes on when a request on its way is complete.
void Timeline::stall(std::int64_t index) {
  warp(index).stalled = true;
  warp(index).waiting = WaitCause::value;
}

/// The warp's steps of the interval are over. `waited`: it was stalled here before.
void Timeline::leave_interval(std::int64_t index, bool waited) {
  if (several_ && has_reads(index)) return stall(index);
  if (waited) end_wait_for_reads(index);
  const std::int64_t at = warp(index).slot;
  const Interval& interval = slot(at).executed.present();
  const bool over =
      !interval.over.empty() &&
      interval.over[static_cast<std::size_t>(index % launch_.warps_of_block)] != WarpEnd::no;
  if (interval.last || over) return end(at, 1);
  arrive(at, 1);
}

/// Removes entries that all warps have passed and executes more. False: execution has halted.
bool Timeline::extend(std::int64_t at) {
  Interval& interval = slot(at).executed.present();
  const auto first = warps_.begin() + static_cast<std::ptrdiff_t>(at * launch_.warps_of_block);
  const auto last = first + static_cast<std::ptrdiff_t>(launch_.warps_of_block);
  std::uint32_t passed = UINT32_MAX;
  for (auto state = first; state != last; ++state) passed = std::min(passed, state->next);
  const std::uint32_t dropped = interval.tiles[0].drop(passed);
  for (auto state = first; state != last; ++state) state->next -= dropped;
  halted_ = !blocks_.extend(interval);
  return !halted_;
}

void Timeline::offer(std::int64_t index, Ask ask, std::uint32_t stages, std::int32_t atomic) {
  Warp& state = warp(index);
  // Only now is it known that the request before it had "another to come" (section 5).
  if (several_) {
    make_another(index);
  } else if (state.requested) {
    for_units_of(state.mp, [&](Unit& unit) {
      if (!unit.ledger.undecided.empty())
        reference::decide_latency(unit.ledger, *unit.account, state.begin, state.end);
    });
  }
  state.requested = true;
  state.issued = now_;
  state.ask = ask;
  state.stages = stages;
  state.atomic = atomic;
  if (machine_.lockstep) {
    held_.push_back(index);
  } else {
    queue(index);
  }
}

void Timeline::list(Unit& unit) {
  if (unit.listed) return;
  unit.listed = true;
  offered_.push_back(&unit);
}

void Timeline::queue(std::int64_t index) {
  const Warp& state = warp(index);
  Unit& unit = state.ask == Ask::port     ? own_port(state.mp)
               : state.ask == Ask::global ? units_.back()
                                          : units_[static_cast<std::size_t>(state.mp)];
  if (state.ask != Ask::shared) global_in_flight_[static_cast<std::size_t>(state.mp)] += 1;
  unit.waiting.insert(index - unit.first_warp);
  list(unit);
  queued_ += 1;
}

void Timeline::arrive(std::int64_t at, std::int64_t warps) {
  for_units_of(mp_of_slot(at), [&](Unit& unit) {
    settle(unit);
    unit.ledger.at_barrier += warps;
  });
  slot(at).at_barrier += warps;
  open_if_all_arrived(at);
}

void Timeline::end(std::int64_t at, std::int64_t warps) {
  slot(at).ended += warps;
  if (slot(at).ended == launch_.warps_of_block) return ended_slots_.push_back(at);
  if (slot(at).at_barrier > 0) open_if_all_arrived(at);
}

void Timeline::open_if_all_arrived(std::int64_t at) {
  if (!reference::opens_barrier(slot(at).at_barrier, slot(at).ended, launch_.warps_of_block))
    return;
  if (machine_.barrier_cost.value == 0) return opening_.push_back(at);
  slot(at).opens = later(now_, machine_.barrier_cost);
  events_.push({slot(at).opens, ~at});
  timed_ += 1;
}

void Timeline::release(std::int64_t at) {
  if (machine_.barrier_cost.value > 0) end_wait({WaitCause::barrier, at * launch_.warps_of_block});
  barriers_ += 1;
  for_units_of(mp_of_slot(at), [&](Unit& unit) {
    settle(unit);
    unit.ledger.at_barrier -= slot(at).at_barrier;
  });
  slot(at).at_barrier = 0;
  if (streams_) {
    if (!blocks_.advance(slot(at).executed.present())) {
      halted_ = true;
      return;
    }
  } else {
    advance(at);
  }
  begin_interval(at);
}

/// The next interval of the block.
void Timeline::advance(std::int64_t at) {
  ExecutedBlock& executed = slot(at).executed;
  const std::size_t before = executed.place();
  executed.advance();
  if (executed.place() <= before || executed.left() < 0) mark_rounds(at);
}

/// Puts the block's warps at the beginning of the interval; warps of tiles that ask nothing are at
/// its end.
void Timeline::begin_interval(std::int64_t at) {
  const Interval& interval = slot(at).executed.present();
  std::int64_t through = 0, ended = 0;
  for (std::size_t k = 0; k < interval.tiles.size(); ++k) {
    const std::int64_t first = static_cast<std::int64_t>(k) * tile_warps_;
    const std::int64_t last = std::min(first + tile_warps_, launch_.warps_of_block);
    const bool silent = interval.tiles[k].entries.empty();
    if (silent && interval.over.empty()) {
      through += last - first;
      continue;
    }
    for (std::int64_t w = first; w < last; ++w) {
      const WarpEnd over =
          interval.over.empty() ? WarpEnd::no : interval.over[static_cast<std::size_t>(w)];
      if (over == WarpEnd::before) continue;
      if (silent) {
        (over == WarpEnd::now ? ended : through) += 1;
        continue;
      }
      const std::int64_t index = at * launch_.warps_of_block + w;
      warp(index).next = 0;
      ready_.push_back(index);
    }
  }
  if (interval.last) ended += std::exchange(through, 0);
  if (through > 0) arrive(at, through);
  if (ended > 0) end(at, ended);
}

void Timeline::begin_round() {
  if (!machine_.lockstep) return;
  if (queued_ > 0 || in_flight_ > 0 || timed_ > 0) return;
  for (const std::int64_t index : held_) queue(index);
  held_.clear();
}

// Requests enter their units.

void Timeline::dispatch() {
  std::size_t kept = 0;
  for (Unit* unit : offered_) {
    while (!unit->waiting.empty() && reference::has_room(unit->port, *unit->spec, now_)) {
      const std::int64_t next = unit->waiting.next(unit->cursor);
      unit->waiting.erase(next);
      unit->cursor = next + 1 == unit->served ? 0 : next + 1;
      dispatch(*unit, unit->first_warp + next);
    }
    if (unit->waiting.empty()) {
      unit->listed = false;
    } else {
      offered_[kept++] = unit;
    }
  }
  offered_.resize(kept);
  if (!operating_.empty()) dispatch_operations();
  if (!groups_.empty()) enter_groups();
}

/// The last time unit in which a request that has entered is served; usually its last stage's.
Cycles Timeline::served(Unit& unit, const reference::Port& before, const Warp& state) {
  if (state.atomic < 0) return unit.port.last;
  // The warp waits for it, so its interval is the block's present one.
  const Interval& interval = slot(state.slot).executed.present();
  const StepLog& log = interval.tiles[static_cast<std::size_t>(state.tile)];
  return unit.atomics.serve(*unit.spec, before, now_,
                            log.atomics[static_cast<std::size_t>(state.atomic)].groups);
}

/// An atomic on a unit without own ports is on its way from now until it completes.
void Timeline::add_flown(const Warp& state) {
  const Slot& of = slot(state.slot);
  const StepLog& log = of.executed.present().tiles[static_cast<std::size_t>(state.tile)];
  const std::uint32_t site = log.atomics[static_cast<std::size_t>(state.atomic)].site;
  flown_[{of.block % machine_.multiprocessors, state.mp, site}] += (state.end - now_).value;
}

void Timeline::dispatch(Unit& unit, std::int64_t index) {
  Warp& state = warp(index);
  end_port_wait(index);
  if (!several_) state.waiting = WaitCause::requests;
  for_units_of(state.mp, [&](Unit& serving) {
    settle(serving);
    if (serving.ledger.in_flight == 0 && serving.emptied != now_) serving.flying = now_;
    serving.ledger.in_flight += 1;
  });
  if (unit.spec == &own_port_) return dispatch_at_own_port(unit, index);
  const reference::Port before = unit.port;
  unit.account->busy += reference::enter(unit.port, *unit.spec, now_, state.stages);
  state.begin = now_;
  state.end = later(served(unit, before, state), unit.spec->latency);
  if (state.atomic >= 0) add_flown(state);
  queued_ -= 1;
  in_flight_ += 1;
  const std::int64_t request = several_ ? take_off(index, state.end) : index;
  due_.add(state.end, due_number(Due::completion, request), now_);
}

} // namespace memlane::fast
