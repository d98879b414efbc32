// What skipping periods changes: the accounts and the repetitions left, and for a single
// multiprocessor the times of its events (timeline_repeats.cpp).
#include "timeline.hpp"

#include <algorithm>
#include <array>

namespace memlane::fast {

using reference::later;

namespace {

/// The parts of a unit's account that time decides; the rest comes from the logs.
std::array<std::int64_t*, 5> account_of(UnitAccount& account) {
  return {&account.busy, &account.idle_latency, &account.idle_barrier, &account.idle_drain,
          &account.idle_empty};
}
std::array<std::int64_t*, 3> account_of(OperationAccount& account) {
  return {&account.busy, &account.operations, &account.stages};
}

/// The kinds of waits but those for values, which lines have.
std::array<WaitCause, wait_causes - 1> causes() {
  std::array<WaitCause, wait_causes - 1> others{};
  std::size_t count = 0;
  for (std::size_t k = 0; k < wait_causes; ++k)
    if (const auto cause = static_cast<WaitCause>(k); cause != WaitCause::value)
      others[count++] = cause;
  return others;
}

} // namespace

Timeline::Accounts Timeline::accounts_of(const Scope& scope) {
  Accounts accounts;
  for_units_of(scope, [&](Unit& unit) {
    for (const std::int64_t* count : account_of(*unit.account)) accounts.counts.push_back(*count);
    if (!beyond_papers_) return;
    for (const WaitCause cause : causes())
      accounts.counts.push_back(unit.account->waits[static_cast<std::size_t>(cause)]);
    accounts.values.push_back(unit.account->value_waits);
  });
  for (const OperationState& unit : operations_of(scope.mp))
    for (const std::int64_t* count : account_of(*unit.account)) accounts.counts.push_back(*count);
  if (!scope.whole) return accounts;
  accounts.counts.push_back(barriers_);
  accounts.flown = flown_;
  return accounts;
}

/// What the accounts have had since the kept state.
Timeline::Accounts Timeline::since(const Scope& scope) {
  Accounts accounts = accounts_of(scope);
  for (std::size_t k = 0; k < accounts.counts.size(); ++k)
    accounts.counts[k] -= scope.accounts.counts[k];
  for (std::size_t k = 0; k < accounts.values.size(); ++k)
    for (ValueWait& now : accounts.values[k])
      for (const ValueWait& before : scope.accounts.values[k])
        if (before.instruction == now.instruction && before.site == now.site)
          now.time -= before.time;
  for (const auto& [at, before] : scope.accounts.flown) accounts.flown[at] -= before;
  return accounts;
}

void Timeline::add_accounts(const Scope& scope, const Accounts& accounts, std::int64_t times) {
  auto more = accounts.counts.begin();
  auto values = accounts.values.begin();
  for_units_of(scope, [&](Unit& unit) {
    for (std::int64_t* count : account_of(*unit.account)) *count += *more++ * times;
    if (!beyond_papers_) return;
    for (const WaitCause cause : causes()) unit.account->charge(cause, {-1, -1, *more++ * times});
    for (const ValueWait& wait : *values++)
      if (wait.time != 0)
        unit.account->charge(WaitCause::value, {wait.instruction, wait.site, wait.time * times});
  });
  for (OperationState& unit : operations_of(scope.mp))
    for (std::int64_t* count : account_of(*unit.account)) *count += *more++ * times;
  if (scope.whole) barriers_ += *more * times;
  for (const auto& [at, flown] : accounts.flown) flown_[at] += flown * times;
}

bool Timeline::skip(Scope& scope, std::int64_t periods, std::int64_t time) {
  scope.of_period = since(scope);
  scope.period = now_ - scope.time;
  launch_.timed.work.time_units.add(
      {0, reference::saturating_multiply(time, scope.whole ? multiprocessors_ : 1)});
  if (scope.whole) {
    for (Unit& unit : units_) unit.atomics.repeat(scope.time, now_, time);
    skipped_ += time;
  } else {
    move_on(scope, time);
  }
  add_accounts(scope, scope.of_period, periods);
  for (std::int64_t k = 0; k < scope.warps; ++k) {
    Warp& of = warp(scope.first_warp + k);
    of.left -= (scope.left[static_cast<std::size_t>(k)] - of.left) * periods;
  }
  for (std::int64_t k = 0; k < scope.slots; ++k) {
    ExecutedBlock& of = slot(scope.first_slot + k).executed;
    const std::int64_t by = scope.left_of_slots[static_cast<std::size_t>(k)] - of.left();
    of.set_left(of.left() - by * periods);
  }
  scope.state.clear();
  return !late() || launch_.timed.halt(Halted::refused);
}

/// Moves the state of a multiprocessor to a later time.
void Timeline::move_on(Scope& scope, std::int64_t time) {
  scope.until = later(now_, {time});
  Unit& global = units_.back();
  settle(global);
  if (flies(units_[scope.mp])) global.latency_until = std::max(global.latency_until, scope.until);
  for_units_of(scope, [&](Unit& unit) { move_unit(scope, unit, time); });
  for (OperationState& unit : operations_of(scope.mp))
    unit.port.last = later(unit.port.last, {time});
  move_warps(scope, time);
  if (!beyond_papers_) return;
  const auto behind = std::find_if(moved_.begin(), moved_.end(), [&](const MovedWaits& of) {
    return of.multiprocessor() > scope.mp;
  });
  moved_.emplace(behind, scope.mp, std::move(scope.waits), now_, scope.period, scope.until);
}

void Timeline::move_unit(const Scope& scope, Unit& unit, std::int64_t time) {
  unit.port.last = later(unit.port.last, {time});
  unit.ledger.until = scope.until;
  for (reference::Undecided& span : unit.ledger.undecided) {
    span.begin = later(span.begin, {time});
    span.end = later(span.end, {time});
  }
}

/// Moves the warps that repeat. A warp that has made a request in the period will make another one.
/// The latest request of any other warp is over. It stays where it is: it may still decide the kind
/// of earlier idle time.
void Timeline::move_warps(const Scope& scope, std::int64_t time) {
  Unit& global = units_.back();
  const auto repeats = [&](std::int64_t index) {
    const std::int64_t k = index - scope.first_warp;
    return k >= 0 && k < scope.warps && scope.left[static_cast<std::size_t>(k)] != warp(index).left;
  };
  bool computing = false;
  for (std::int64_t index = scope.first_warp; index < scope.first_warp + scope.warps; ++index) {
    if (!repeats(index)) continue;
    Warp& of = warp(index);
    if (several_) {
      move_flights(scope, index, time);
    } else if (of.begin > scope.time) {
      if (!global.ledger.undecided.empty())
        reference::decide_latency(global.ledger, *global.account, of.begin, of.end);
      const Cycles end = later(of.end, {time});
      if (of.end > now_) due_.move(of.end, end, due_number(Due::completion, index), now_);
      of.begin = later(of.begin, {time});
      of.end = end;
    }
    if (of.wakes <= now_) continue;
    if (operators_.empty()) {
      computing = true;
      continue;
    }
    const Cycles wakes = later(of.wakes, {time});
    due_.move(of.wakes, wakes, due_number(Due::operator_, index), now_);
    of.wakes = wakes;
  }
  std::erase_if(going_on_, [&](std::int64_t index) {
    if (!repeats(index)) return false;
    events_.push({later(now_, {time + 1}), index});
    timed_ += 1;
    return true;
  });
  if (!computing) return;
  Queue<Event> events;
  for (; !events_.empty(); events_.pop()) {
    Event event = events_.top();
    if (repeats(event.index) && warp(event.index).wakes == event.time)
      warp(event.index).wakes = event.time = later(event.time, {time});
    events.push(event);
  }
  events_ = std::move(events);
}

void Timeline::move_flights(const Scope& scope, std::int64_t index, std::int64_t time) {
  Unit& global = units_.back();
  for (auto& flight : flights_of_[static_cast<std::size_t>(index)].all()) {
    if (flight.begin <= scope.time) continue;
    if (!global.ledger.undecided.empty())
      reference::decide_latency(global.ledger, *global.account, flight.begin,
                                std::min(flight.end, now_));
    const Cycles end = later(flight.end, {time});
    if (flight.flies) due_.move(flight.end, end, due_number(Due::completion, flight.request), now_);
    flight.begin = later(flight.begin, {time});
    flight.end = end;
  }
}

// Waits of multiprocessors that were moved ahead.

/// Charges the global unit with those that have ended since the time unit before, and now. False:
/// the caller stops the run.
bool Timeline::charge_moved() {
  charge_moved(0, moved_until_, now_);
  std::erase_if(moved_, [&](const MovedWaits& of) { return of.until() <= now_; });
  return !halted_;
}

/// Those of some multiprocessors; none of the lower ones has any then.
void Timeline::charge_moved(std::size_t from, Cycles after, Cycles upto) {
  if (from == moved_.size() || after >= upto || halted_) return;
  Unit& global = units_.back();
  for (;;) {
    const MovedWaits::At at = moved_[from].next(after);
    if (at.time > upto) break;
    charge_moved(from + 1, after, {at.time.value - 1});
    settle(global, at.time);
    reference::charge(global.ledger, *global.account, at.time, at.wait);
    after = at.time;
    halted_ = halted_ || !launch_.poll();
    if (halted_) return;
  }
  charge_moved(from + 1, after, upto);
}

/// The caller stops the run: takes back skipped periods that lie ahead.
void Timeline::take_back(Scope& scope) {
  if (scope.until <= now_) return;
  const std::int64_t periods = reference::divide_up((scope.until - now_).value, scope.period.value);
  add_accounts(scope, scope.of_period, -periods);
  const std::int64_t time = periods * scope.period.value;
  launch_.timed.work.time_units.skipped -= time;
  for_units_of(scope, [&](Unit& unit) {
    unit.port.last = Cycles{unit.port.last.value - time};
    unit.ledger.until = Cycles{unit.ledger.until.value - time};
    for (reference::Undecided& span : unit.ledger.undecided) {
      if (span.begin <= now_) continue;
      span.begin = Cycles{span.begin.value - time};
      span.end = Cycles{span.end.value - time};
    }
  });
  for (OperationState& unit : operations_of(scope.mp))
    unit.port.last = Cycles{unit.port.last.value - time};
}

} // namespace memlane::fast
