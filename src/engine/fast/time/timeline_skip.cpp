// Skipping periods changes the accounts and the repetitions left, and for a single multiprocessor
// the times of its events.
#include "timeline.hpp"

#include <algorithm>
#include <array>

namespace memlane::fast {

namespace {

/// The parts of a unit's account that time decides; the rest comes from the logs.
std::array<std::int64_t*, 4> account_of(UnitAccount& account) {
  return {&account.busy, &account.idle_latency, &account.idle_barrier, &account.idle_empty};
}

} // namespace

Timeline::Accounts Timeline::accounts_of(const Scope& scope) {
  Accounts accounts;
  for (std::size_t k = 0; k < scope.units; ++k)
    for (const std::int64_t* count : account_of(*units_[scope.first_unit + k].account))
      accounts.push_back(*count);
  if (scope.whole) accounts.push_back(barriers_);
  return accounts;
}

void Timeline::add_accounts(const Scope& scope, const Accounts& accounts, std::int64_t times) {
  auto more = accounts.begin();
  for (std::size_t k = 0; k < scope.units; ++k)
    for (std::int64_t* count : account_of(*units_[scope.first_unit + k].account))
      *count += *more++ * times;
  if (scope.whole) barriers_ += *more * times;
}

bool Timeline::skip(Scope& scope, std::int64_t periods, std::int64_t time) {
  scope.of_period = accounts_of(scope);
  for (std::size_t k = 0; k < scope.of_period.size(); ++k) scope.of_period[k] -= scope.accounts[k];
  scope.period = now_ - scope.time;
  launch_.fast.work.time_units.add(
      {0, reference::saturating_multiply(time, scope.whole ? multiprocessors_ : 1)});
  if (scope.whole) {
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
  return !late() || launch_.fast.halt(Halted::refused);
}

/// Moves the state of a multiprocessor to a later time.
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

/// Moves the warps that repeat. Each makes another request after its latest one.
void Timeline::move_warps(const Scope& scope, std::int64_t time) {
  Unit& global = units_.back();
  bool computing = false;
  for (std::int64_t k = 0; k < scope.warps; ++k) {
    const std::int64_t index = scope.first_warp + k;
    Warp& of = warp(index);
    if (scope.left[static_cast<std::size_t>(k)] == of.left) continue;
    if (!global.ledger.undecided.empty())
      reference::decide_latency(global.ledger, *global.account, of.begin, of.end);
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

/// The caller stops the run: takes back skipped periods that lie ahead.
void Timeline::take_back(const Scope& scope) {
  if (scope.until <= now_) return;
  Unit& unit = units_[scope.first_unit];
  const std::int64_t periods = reference::divide_up((scope.until - now_).value, scope.period.value);
  add_accounts(scope, scope.of_period, -periods);
  const std::int64_t time = periods * scope.period.value;
  launch_.fast.work.time_units.skipped -= time;
  unit.port.last = Cycles{unit.port.last.value - time};
  unit.ledger.until = Cycles{unit.ledger.until.value - time};
  for (reference::Undecided& span : unit.ledger.undecided) {
    if (span.begin <= now_) continue;
    span.begin = Cycles{span.begin.value - time};
    span.end = Cycles{span.end.value - time};
  }
}

} // namespace memlane::fast
