// Repetitions of a timeline: its state, in which moments it is the same, and what is skipped then.
#include "timeline.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace memlane::fast {

// The state of the machine, or of one multiprocessor, in which periods are looked for.

/// Collects the numbers of a state, or compares them with an earlier state.
class Timeline::StateReader {
public:
  explicit StateReader(std::vector<std::int64_t>& into) : into_(&into) {}
  explicit StateReader(const std::vector<std::int64_t>* earlier) : earlier_(earlier) {}

  /// False: it differs from the earlier state.
  bool add(std::initializer_list<std::int64_t> numbers) {
    if (into_) {
      for (const std::int64_t number : numbers) into_->push_back(number);
      return true;
    }
    if (earlier_->size() - at_ < numbers.size()) return false;
    const auto from = earlier_->begin() + static_cast<std::ptrdiff_t>(at_);
    at_ += numbers.size();
    return std::equal(numbers.begin(), numbers.end(), from);
  }
  bool is_complete() const { return into_ || at_ == earlier_->size(); }

private:
  std::vector<std::int64_t>* into_ = nullptr;
  const std::vector<std::int64_t>* earlier_ = nullptr;
  std::size_t at_ = 0;
};

bool Timeline::logs_grow(const Scope& scope) const {
  for (std::int64_t at = scope.first_slot; at < scope.first_slot + scope.slots; ++at) {
    const Slot& of = slots_[static_cast<std::size_t>(at)];
    if (of.block >= 0 && of.executed.present().partial) return true;
  }
  return false;
}

bool Timeline::has_state(const Scope& scope, const std::vector<std::int64_t>& earlier) {
  StateReader reader(&earlier);
  return !earlier.empty() && read_state(scope, reader) && reader.is_complete();
}

std::vector<std::int64_t> Timeline::state_of(const Scope& scope) {
  std::vector<std::int64_t> state;
  StateReader reader(state);
  read_state(scope, reader);
  return state;
}

/// All that decides what happens next, with times relative to now, without the repetitions left.
/// Most states differ early from the one they are compared with; the rest is then not read.
bool Timeline::read_state(const Scope& scope, StateReader& state) {
  if (scope.whole &&
      !state.add({assignment_.started(), assignment_.finished(), queued_, in_flight_, timed_}))
    return false;
  for (std::int64_t at = scope.first_slot; at < scope.first_slot + scope.slots; ++at)
    if (!read_slot(slot(at), state)) return false;
  for (std::size_t k = scope.first_unit; k < scope.first_unit + scope.units; ++k)
    if (!read_unit(units_[k], state)) return false;
  for (std::int64_t k = 0; k < scope.warps; ++k)
    if (!read_warp(scope, scope.first_warp + k, state)) return false;
  if (!scope.whole) return true;
  std::vector<std::int64_t> held = held_;
  std::sort(held.begin(), held.end());
  return std::all_of(held.begin(), held.end(),
                     [&](std::int64_t warp) { return state.add({warp}); });
}

bool Timeline::read_slot(const Slot& of, StateReader& state) {
  return state.add({of.block, of.at_barrier, of.ended,
                    static_cast<std::int64_t>(of.executed.place()), of.executed.left() < 0 ? 0 : 1,
                    std::max<std::int64_t>((of.opens - now_).value, 0)});
}

bool Timeline::read_unit(Unit& unit, StateReader& state) {
  settle(unit);
  const std::int64_t last = std::max<std::int64_t>((unit.port.last - now_).value, -1);
  if (!state.add({last, last < 0 ? 0 : unit.port.entered, unit.cursor, unit.ledger.in_flight,
                  unit.ledger.at_barrier,
                  std::max<std::int64_t>((unit.ledger.until - now_).value, 0),
                  std::max<std::int64_t>((unit.latency_until - now_).value, 0)}))
    return false;
  const auto busy = [&](std::int64_t group, Cycles end) {
    return state.add({group, (end - now_).value});
  };
  if (!unit.atomics.each_busy(now_, busy)) return false;
  unit.open = first_open(unit);
  for (std::size_t at = unit.open; at < unit.ledger.undecided.size(); ++at) {
    const reference::Undecided& span = unit.ledger.undecided[at];
    if (!state.add({(span.begin - now_).value, (span.end - now_).value, span.at_barrier ? 1 : 0}))
      return false;
  }
  return true;
}

bool Timeline::read_warp(const Scope& scope, std::int64_t index, StateReader& state) {
  const Warp& of = warp(index);
  bool matters = of.end > now_;
  for_units_of(of.mp, [&](Unit& unit) {
    if (!scope.whole && &unit == &units_.back()) return;
    const auto& undecided = unit.ledger.undecided;
    matters |= unit.open < undecided.size() && undecided[unit.open].begin < of.end;
  });
  // A flight that is over matters while it may decide the kind of an idle span.
  return state.add({of.next, of.left < 0 ? 0 : 1, of.requested ? 1 : 0, waits(index) ? 1 : 0,
                    static_cast<std::int64_t>(of.ask), of.stages, of.atomic,
                    std::max<std::int64_t>((of.wakes - now_).value, 0),
                    matters ? (of.begin - now_).value : 1, matters ? (of.end - now_).value : 1});
}

bool Timeline::waits(std::int64_t index) {
  bool waits = false;
  for_units_of(warp(index).mp,
               [&](Unit& unit) { waits |= unit.waiting.contains(index - unit.first_warp); });
  return waits;
}

/// The first idle span whose kind a request may still decide: it lies after the beginning of a
/// flight whose warp has made no request since.
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

// Skips periods of the machine's state. Where warps repeat parts of their logs, or blocks repeat
// intervals, the machine, or an isolated multiprocessor, returns to an earlier state: only the time
// and the repetitions left differ. Until the last repetition nothing else decides what happens
// next, so whole periods are added to the accounts and not simulated.

/// A warp jumps back in its log.
void Timeline::mark(std::int64_t index) {
  if (beyond_papers_) return; // its state is not read
  const auto mp = static_cast<std::size_t>(warp(index).mp);
  if (warp(index).left < 0) { // it is through
    for (Scope* scope : {&machine(), &scopes_[mp]})
      if (scope->marker == index) scope->marker = -1;
    return;
  }
  if (is_isolated(mp)) mark(scopes_[mp], index);
  // Else, and where it has been isolated for less than a period, the periods of the machine count.
  if (!is_isolated(mp) || isolated_since_[mp] > scopes_[mp].time) mark(machine(), index);
}

/// A block restarts its round of intervals, or has ended its rounds.
void Timeline::mark_rounds(std::int64_t at) {
  if (beyond_papers_) return;
  Scope& scope = scopes_.back();
  if (slot(at).executed.left() >= 0) {
    mark(scope, at);
  } else if (scope.marker == at) {
    scope.marker = -1;
  }
}

/// One warp or slot of a scope at a time marks its periods.
void Timeline::mark(Scope& scope, std::int64_t index) {
  if (scope.marker < 0) {
    scope.marker = index;
    scope.state.clear();
    scope.marks = 0;
    scope.next_kept = 1;
  }
  if (scope.marker != index || scope.marked) return;
  scope.marked = true;
  marked_.push_back(&scope);
}

/// Whether a multiprocessor is independent of the others: it has no request in the global unit, and
/// the machine is not in lockstep.
bool Timeline::is_isolated(std::size_t mp) const {
  return machine_.shared && machine_.global && !streams_ && !machine_.lockstep &&
         global_in_flight_[mp] == 0;
}

/// At the end of a time unit in which a period may have ended. False: beyond the time limit.
bool Timeline::repeat_periods() {
  bool in_time = true;
  for (Scope* scope : marked_) {
    scope->marked = false;
    in_time = in_time && repeat_periods(*scope);
  }
  marked_.clear();
  return in_time;
}

/// Brent's algorithm: the state of a time is kept, and replaced by a later one at powers of two.
bool Timeline::repeat_periods(Scope& scope) {
  if (logs_grow(scope)) return true;
  if (has_state(scope, scope.state) && !skip_periods(scope)) return false;
  if (++scope.marks < scope.next_kept) return true;
  scope.next_kept *= 2;
  keep_state(scope);
  return true;
}

void Timeline::keep_state(Scope& scope) {
  scope.state = state_of(scope);
  scope.time = now_;
  scope.left.clear();
  for (std::int64_t k = 0; k < scope.warps; ++k)
    scope.left.push_back(warp(scope.first_warp + k).left);
  scope.left_of_slots.clear();
  for (std::int64_t k = 0; k < scope.slots; ++k)
    scope.left_of_slots.push_back(slot(scope.first_slot + k).executed.left());
  scope.skipped = skipped_;
  scope.accounts = accounts_of(scope);
}

/// Whole periods that all warps and blocks have left; 0: the equal state was no period.
std::int64_t Timeline::periods_left(const Scope& scope) const {
  std::int64_t periods = INT64_MAX;
  bool possible = true;
  const auto count = [&](std::int64_t before, std::int64_t left) {
    const std::int64_t by = before - left;
    possible = possible && by >= 0; // else another repetition has begun
    if (by > 0) periods = std::min(periods, (left - 1) / by);
    return by != 0;
  };
  for (std::size_t k = 0; k < scope.left_of_slots.size(); ++k) {
    const std::size_t at = static_cast<std::size_t>(scope.first_slot) + k;
    const bool moved = count(scope.left_of_slots[k], slots_[at].executed.left());
    for (std::int64_t w = 0; w < launch_.warps_of_block; ++w) {
      const auto place =
          k * static_cast<std::size_t>(launch_.warps_of_block) + static_cast<std::size_t>(w);
      const std::int64_t left = warps_[static_cast<std::size_t>(scope.first_warp) + place].left;
      // Through rounds, warps come back to where they were in the repetitions inside.
      if (moved) {
        possible = possible && scope.left[place] == left;
      } else {
        count(scope.left[place], left);
      }
    }
  }
  return !possible || periods == INT64_MAX ? 0 : periods;
}

bool Timeline::skip_periods(Scope& scope) {
  const std::int64_t periods = periods_left(scope);
  if (periods <= 0) return true;
  if (!scope.whole && !was_isolated(scope)) return true;
  const std::int64_t period = (now_ - scope.time).value + skipped_ - scope.skipped;
  const std::int64_t time = reference::saturating_multiply(period, periods);
  if (time > INT64_MAX / 4 || skipped_ > INT64_MAX / 4)
    return launch_.timed.too_large(launch_.code);
  return skip(scope, periods, time);
}

/// Whether the multiprocessor was independent of the others during the period. The account of the
/// global unit is the exception: its idle time is latency while a request is in flight here, and
/// one always was.
bool Timeline::was_isolated(const Scope& scope) const {
  const std::size_t mp = scope.first_unit;
  return is_isolated(mp) && isolated_since_[mp] <= scope.time && units_[mp].flying <= scope.time;
}

// Skipping periods changes the accounts and the repetitions left, and for a single multiprocessor
// the times of its events.

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
  launch_.timed.work.time_units.add(
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
  return !late() || launch_.timed.halt(Halted::refused);
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
  launch_.timed.work.time_units.skipped -= time;
  unit.port.last = Cycles{unit.port.last.value - time};
  unit.ledger.until = Cycles{unit.ledger.until.value - time};
  for (reference::Undecided& span : unit.ledger.undecided) {
    if (span.begin <= now_) continue;
    span.begin = Cycles{span.begin.value - time};
    span.end = Cycles{span.end.value - time};
  }
}

} // namespace memlane::fast
