// Repetitions in closed form. Where warps go through repetitions of their logs, the machine comes
// back to the same state, but for the time and for how often warps will still go through them. What
// happens next depends on nothing else, as long as no warp comes to the end of its repetition: so
// whole periods of it are counted, not gone through.
#include "timeline.hpp"

#include <algorithm>

namespace memlane::fast {

namespace {

/// What a period adds to a unit's account; everything else of it comes from the logs.
std::array<std::int64_t*, 4> account_of(UnitCounts& counts) {
  return {&counts.busy, &counts.idle_latency, &counts.idle_barrier, &counts.idle_empty};
}

} // namespace

/// Called when a warp jumps back in its log: one warp at a time marks the periods.
void Timeline::mark(std::int64_t index) {
  if (warp(index).left < 0) { // it is through
    if (marker_ == index) marker_ = -1;
    return;
  }
  if (marker_ < 0) {
    marker_ = index;
    seen_.state.clear();
    marks_ = 0;
    next_look_ = 1;
  }
  marked_ |= marker_ == index;
}

/// At the end of a time unit in which a period may have ended (Brent's way to find one: the state
/// of a time is kept, and given up for a later one at powers of two). False: too late.
bool Timeline::repeat_periods() {
  marked_ = false;
  std::vector<std::int64_t> state = state_now();
  if (state.empty()) return true;
  if (state == seen_.state && !leap_over_periods()) return launch_.fast.halt(Halted::refused);
  if (++marks_ < next_look_) return true;
  next_look_ *= 2;
  seen_.state = std::move(state);
  seen_.time = now_;
  seen_.left.clear();
  for (const Warp& warp : warps_) seen_.left.push_back(warp.left);
  seen_.accounts.clear();
  for (Unit& unit : units_)
    for (const std::int64_t* count : account_of(*unit.counts)) seen_.accounts.push_back(*count);
  return true;
}

bool Timeline::leap_over_periods() {
  std::int64_t periods = INT64_MAX;
  for (std::size_t k = 0; k < warps_.size(); ++k) {
    const std::int64_t by = seen_.left[k] - warps_[k].left;
    if (by < 0) return true; // it has begun another repetition
    if (by > 0) periods = std::min(periods, (warps_[k].left - 1) / by);
  }
  if (periods <= 0 || periods == INT64_MAX) return true;
  const std::int64_t time = reference::saturating_multiply((now_ - seen_.time).value, periods);
  if (time > INT64_MAX / 4 || skipped_ > INT64_MAX / 4) return false;
  skipped_ += time;
  for (std::size_t k = 0; k < warps_.size(); ++k)
    warps_[k].left -= (seen_.left[k] - warps_[k].left) * periods;
  std::size_t k = 0;
  for (Unit& unit : units_)
    for (std::int64_t* count : account_of(*unit.counts))
      *count += (*count - seen_.accounts[k++]) * periods;
  seen_.state.clear();
  return !late();
}

/// All that decides what happens next, in times from now on, but for the warps' `left`. Empty where
/// logs still grow.
std::vector<std::int64_t> Timeline::state_now() {
  std::vector<std::int64_t> state = {barriers_, blocks_started_, blocks_finished_,
                                     queued_,   in_flight_,      timed_};
  for (const Slot& slot : slots_) {
    state.insert(state.end(), {slot.block, slot.at_barrier, slot.ended});
    for (const Interval& interval : slot.executed.intervals)
      if (interval.partial) return {};
  }
  for (Unit& unit : units_) {
    settle(unit);
    const std::int64_t last = std::max<std::int64_t>((unit.port.last - now_).value, -1);
    state.insert(state.end(), {last, last < 0 ? 0 : unit.port.entered, unit.cursor,
                               unit.ledger.in_flight, unit.ledger.at_barrier});
    for (const reference::Undecided& span : unit.ledger.undecided)
      state.insert(state.end(),
                   {(span.begin - now_).value, (span.end - now_).value, span.at_barrier ? 1 : 0});
  }
  for (std::int64_t index = 0; index < static_cast<std::int64_t>(warps_.size()); ++index)
    add_state_of(index, state);
  std::vector<std::int64_t> held = held_;
  std::sort(held.begin(), held.end());
  state.insert(state.end(), held.begin(), held.end());
  std::vector<std::pair<std::int64_t, std::int64_t>> events;
  for (Queue<Event> left = events_; !left.empty(); left.pop())
    events.emplace_back((left.top().time - now_).value, left.top().index);
  std::sort(events.begin(), events.end());
  for (const auto& [time, index] : events) state.insert(state.end(), {time, index});
  return state;
}

void Timeline::add_state_of(std::int64_t index, std::vector<std::int64_t>& state) {
  const Warp& of = warp(index);
  bool waits = false, matters = of.end > now_;
  for_units_of(of.mp, [&](Unit& unit) {
    waits |= unit.waiting.contains(index - unit.first_warp);
    const auto& undecided = unit.ledger.undecided;
    matters |= !undecided.empty() && undecided.front().begin < of.end;
  });
  state.insert(state.end(), {of.next, of.left < 0 ? 0 : 1, of.requested ? 1 : 0, waits ? 1 : 0,
                             static_cast<std::int64_t>(of.ask), of.stages});
  // A flight that is over matters while it may decide what an idle span was.
  state.push_back(matters ? (of.begin - now_).value : 1);
  state.push_back(matters ? (of.end - now_).value : 1);
}

} // namespace memlane::fast
