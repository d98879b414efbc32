// Repetitions in closed form. Where warps go through repetitions of their logs, the machine, or one
// multiprocessor that nobody outside has to do with, comes back to the same state, but for the time
// and for how often warps will still go through them. What happens next there depends on nothing
// else, as long as no warp comes to the end of its repetition: so whole periods of it are counted,
// not gone through.
#include "timeline.hpp"

#include <algorithm>

namespace memlane::fast {

namespace {

/// What a period adds to a unit's account; everything else of it comes from the logs.
std::array<std::int64_t*, 4> account_of(UnitCounts& counts) {
  return {&counts.busy, &counts.idle_latency, &counts.idle_barrier, &counts.idle_empty};
}

} // namespace

/// Called when a warp jumps back in its log.
void Timeline::mark(std::int64_t index) {
  const auto mp = static_cast<std::size_t>(warp(index).mp);
  if (warp(index).left < 0) { // it is through
    for (Scope* scope : {&scopes_.back(), &scopes_[mp]})
      if (scope->marker == index) scope->marker = -1;
    return;
  }
  if (is_home(mp)) mark(scopes_[mp], index);
  // Else, and where it only is for the moment, the machine's periods count.
  if (!is_home(mp) || home_since_[mp] > scopes_[mp].time) mark(scopes_.back(), index);
}

/// One warp of a scope at a time marks its periods.
void Timeline::mark(Scope& scope, std::int64_t index) {
  if (scope.marker < 0) {
    scope.marker = index;
    scope.state.clear();
    scope.marks = 0;
    scope.next_look = 1;
  }
  if (scope.marker != index || scope.marked) return;
  scope.marked = true;
  marked_.push_back(&scope);
}

/// Whether a multiprocessor has nothing to do with the others: no request abroad, and no steps that
/// all take together.
bool Timeline::is_home(std::size_t mp) const {
  return machine_.shared && machine_.global && !streams_ && !machine_.lockstep && abroad_[mp] == 0;
}

/// At the end of a time unit in which a period may have ended. False: too late.
bool Timeline::repeat_periods() {
  bool in_time = true;
  for (Scope* scope : marked_) {
    scope->marked = false;
    in_time = in_time && repeat_periods(*scope);
  }
  marked_.clear();
  return in_time;
}

/// Brent's way to find a period: the state of a time is kept, and given up for a later one at
/// powers of two.
bool Timeline::repeat_periods(Scope& scope) {
  std::vector<std::int64_t> state = state_of(scope);
  if (state.empty()) return true;
  if (state == scope.state && !leap_over_periods(scope)) return launch_.fast.halt(Halted::refused);
  if (++scope.marks < scope.next_look) return true;
  scope.next_look *= 2;
  look(scope, std::move(state));
  return true;
}

void Timeline::look(Scope& scope, std::vector<std::int64_t> state) {
  scope.state = std::move(state);
  scope.time = now_;
  scope.left.clear();
  for (std::int64_t k = 0; k < scope.warps; ++k)
    scope.left.push_back(warp(scope.first_warp + k).left);
  scope.accounts = accounts_of(scope);
}

Timeline::Accounts Timeline::accounts_of(const Scope& scope) {
  Accounts accounts;
  for (std::size_t k = 0; k < scope.units; ++k)
    for (const std::int64_t* count : account_of(*units_[scope.first_unit + k].counts))
      accounts.push_back(*count);
  return accounts;
}

void Timeline::add_accounts(const Scope& scope, const Accounts& accounts, std::int64_t times) {
  auto more = accounts.begin();
  for (std::size_t k = 0; k < scope.units; ++k)
    for (std::int64_t* count : account_of(*units_[scope.first_unit + k].counts))
      *count += *more++ * times;
}

/// Whole ones that all warps have before them; 0: the same state was no period.
std::int64_t Timeline::periods_left(const Scope& scope) const {
  std::int64_t periods = INT64_MAX;
  for (std::size_t k = 0; k < scope.left.size(); ++k) {
    const std::int64_t left = warps_[static_cast<std::size_t>(scope.first_warp) + k].left;
    const std::int64_t by = scope.left[k] - left;
    if (by < 0) return 0; // it has begun another repetition
    if (by > 0) periods = std::min(periods, (left - 1) / by);
  }
  return periods == INT64_MAX ? 0 : periods;
}

bool Timeline::leap_over_periods(Scope& scope) {
  const std::int64_t periods = periods_left(scope);
  if (periods <= 0) return true;
  if (!whole(scope) && !was_by_itself(scope)) return true;
  const std::int64_t time = reference::saturating_multiply((now_ - scope.time).value, periods);
  if (time > INT64_MAX / 4 || skipped_ > INT64_MAX / 4) return false;
  return skip(scope, periods, time);
}

/// Whether the multiprocessor had nothing to do with the others in the period, but for the global
/// unit's account: its idle time is latency while a request is in flight here, as one was always.
bool Timeline::was_by_itself(const Scope& scope) const {
  const std::size_t mp = scope.first_unit;
  return is_home(mp) && home_since_[mp] <= scope.time && units_[mp].flying <= scope.time;
}

bool Timeline::skip(Scope& scope, std::int64_t periods, std::int64_t time) {
  scope.of_period = accounts_of(scope);
  for (std::size_t k = 0; k < scope.of_period.size(); ++k) scope.of_period[k] -= scope.accounts[k];
  scope.period = now_ - scope.time;
  if (whole(scope)) {
    skipped_ += time;
  } else {
    move_on(scope, time);
  }
  add_accounts(scope, scope.of_period, periods);
  for (std::int64_t k = 0; k < scope.warps; ++k) {
    Warp& of = warp(scope.first_warp + k);
    of.left -= (scope.left[static_cast<std::size_t>(k)] - of.left) * periods;
  }
  scope.state.clear();
  return !late();
}

/// A multiprocessor's part of the machine goes on later, from where it is.
void Timeline::move_on(Scope& scope, std::int64_t time) {
  scope.until = reference::later(now_, {time});
  Unit &own = units_[scope.first_unit], &global = units_.back();
  settle(global);
  global.latency_until = std::max(global.latency_until, scope.until);
  own.port.last = reference::later(own.port.last, {time});
  own.ledger.until = scope.until;
  for (std::size_t k = own.open; k < own.ledger.undecided.size(); ++k) {
    reference::Undecided& span = own.ledger.undecided[k];
    span.begin = reference::later(span.begin, {time});
    span.end = reference::later(span.end, {time});
  }
  move_warps(scope, time);
}

/// Those that go through repetitions. Each makes another request behind its latest one.
void Timeline::move_warps(const Scope& scope, std::int64_t time) {
  Unit& global = units_.back();
  bool computing = false;
  for (std::int64_t k = 0; k < scope.warps; ++k) {
    const std::int64_t index = scope.first_warp + k;
    Warp& of = warp(index);
    if (scope.left[static_cast<std::size_t>(k)] == of.left) continue;
    if (!global.ledger.undecided.empty())
      reference::decide_latency(global.ledger, *global.counts, of.begin, of.end);
    const Cycles end = reference::later(of.end, {time});
    if (of.end > now_) flights_.move(of.end, end, index, now_);
    of.begin = reference::later(of.begin, {time});
    of.end = end;
    computing |= of.wakes > now_;
  }
  if (!computing) return;
  Queue<Event> events;
  for (; !events_.empty(); events_.pop()) {
    Event event = events_.top();
    const std::int64_t k = event.index - scope.first_warp;
    if (k >= 0 && k < scope.warps &&
        scope.left[static_cast<std::size_t>(k)] != warp(event.index).left)
      warp(event.index).wakes = event.time = reference::later(event.time, {time});
    events.push(event);
  }
  events_ = std::move(events);
}

/// Where the caller stops the run: of periods that were leapt over, those that have not been yet.
void Timeline::take_back(const Scope& scope) {
  if (scope.until <= now_) return;
  Unit& unit = units_[scope.first_unit];
  const std::int64_t periods = reference::divide_up((scope.until - now_).value, scope.period.value);
  add_accounts(scope, scope.of_period, -periods);
  const std::int64_t time = periods * scope.period.value;
  unit.port.last = Cycles{unit.port.last.value - time};
  unit.ledger.until = Cycles{unit.ledger.until.value - time};
  for (reference::Undecided& span : unit.ledger.undecided) {
    if (span.begin <= now_) continue;
    span.begin = Cycles{span.begin.value - time};
    span.end = Cycles{span.end.value - time};
  }
}

/// All that decides what happens next, in times from now on, but for the warps' `left`. Empty where
/// logs still grow.
std::vector<std::int64_t> Timeline::state_of(const Scope& scope) {
  std::vector<std::int64_t> state;
  if (whole(scope))
    state = {barriers_, blocks_started_, blocks_finished_, queued_, in_flight_, timed_};
  for (std::int64_t at = scope.first_slot; at < scope.first_slot + scope.slots; ++at)
    for (const Interval& interval : slot(at).executed.intervals)
      if (interval.partial) return {};
  add_state_of_slots(scope, state);
  for (std::size_t k = scope.first_unit; k < scope.first_unit + scope.units; ++k) {
    Unit& unit = units_[k];
    settle(unit);
    const std::int64_t last = std::max<std::int64_t>((unit.port.last - now_).value, -1);
    state.insert(state.end(), {last, last < 0 ? 0 : unit.port.entered, unit.cursor,
                               unit.ledger.in_flight, unit.ledger.at_barrier,
                               std::max<std::int64_t>((unit.latency_until - now_).value, 0)});
    unit.open = first_open(unit);
    for (std::size_t at = unit.open; at < unit.ledger.undecided.size(); ++at) {
      const reference::Undecided& span = unit.ledger.undecided[at];
      state.insert(state.end(),
                   {(span.begin - now_).value, (span.end - now_).value, span.at_barrier ? 1 : 0});
    }
  }
  for (std::int64_t k = 0; k < scope.warps; ++k)
    add_state_of_warp(scope, scope.first_warp + k, state);
  if (!whole(scope)) return state;
  std::vector<std::int64_t> held = held_;
  std::sort(held.begin(), held.end());
  state.insert(state.end(), held.begin(), held.end());
  return state;
}

void Timeline::add_state_of_slots(const Scope& scope, std::vector<std::int64_t>& state) {
  for (std::int64_t at = scope.first_slot; at < scope.first_slot + scope.slots; ++at) {
    const Slot& of = slot(at);
    state.insert(state.end(), {of.block, of.at_barrier, of.ended,
                               static_cast<std::int64_t>(of.executed.intervals.size()),
                               std::max<std::int64_t>((of.opens - now_).value, 0)});
  }
}

void Timeline::add_state_of_warp(const Scope& scope, std::int64_t index,
                                 std::vector<std::int64_t>& state) {
  const Warp& of = warp(index);
  bool matters = of.end > now_;
  for_units_of(of.mp, [&](Unit& unit) {
    if (!whole(scope) && &unit == &units_.back()) return;
    const auto& undecided = unit.ledger.undecided;
    matters |= unit.open < undecided.size() && undecided[unit.open].begin < of.end;
  });
  state.insert(state.end(), {of.next, of.left < 0 ? 0 : 1, of.requested ? 1 : 0,
                             waits(index) ? 1 : 0, static_cast<std::int64_t>(of.ask), of.stages,
                             std::max<std::int64_t>((of.wakes - now_).value, 0)});
  // A flight that is over matters while it may decide what an idle span was.
  state.push_back(matters ? (of.begin - now_).value : 1);
  state.push_back(matters ? (of.end - now_).value : 1);
}

bool Timeline::waits(std::int64_t index) {
  bool waits = false;
  for_units_of(warp(index).mp,
               [&](Unit& unit) { waits |= unit.waiting.contains(index - unit.first_warp); });
  return waits;
}

/// The first idle span that a request may still decide: behind the beginning of a flight whose
/// warp has made no request since. Those before it are what they are.
std::size_t Timeline::first_open(const Unit& unit) {
  const auto& spans = unit.ledger.undecided;
  if (spans.empty()) return 0;
  Cycles begin = reference::never;
  for (std::int64_t k = 0; k < unit.served; ++k) {
    const Warp& of = warp(unit.first_warp + k);
    if (of.requested && of.begin < begin && !waits(unit.first_warp + k)) begin = of.begin;
  }
  const auto before = [](const reference::Undecided& span, Cycles time) {
    return span.begin < time;
  };
  return static_cast<std::size_t>(std::lower_bound(spans.begin(), spans.end(), begin, before) -
                                  spans.begin());
}

} // namespace memlane::fast
