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
  if (scope.whole && !state.add({queued_, in_flight_, timed_})) return false;
  if (scope.whole && !scope.of_blocks &&
      !state.add({assignment_.started(), assignment_.finished()}))
    return false;
  for (std::int64_t at = scope.first_slot; at < scope.first_slot + scope.slots; ++at)
    if (!read_slot(scope, slot(at), state)) return false;
  bool same = true;
  for_units_of(scope, [&](Unit& unit) { same = same && read_unit(unit, state); });
  if (!same) return false;
  for (OperationState& unit : operations_of(scope.mp))
    if (!read_port(unit.port, state) || !state.add({unit.cursor})) return false;
  for (std::int64_t k = 0; k < scope.warps; ++k)
    if (!read_warp(scope, scope.first_warp + k, state)) return false;
  if (!scope.whole) return true;
  std::vector<std::int64_t> held = held_;
  std::sort(held.begin(), held.end());
  return std::all_of(held.begin(), held.end(),
                     [&](std::int64_t warp) { return state.add({warp}); });
}

bool Timeline::read_slot(const Scope& scope, const Slot& of, StateReader& state) {
  const std::int64_t block = scope.of_blocks ? std::min<std::int64_t>(of.block, 0) : of.block;
  return state.add({block, of.at_barrier, of.ended, static_cast<std::int64_t>(of.executed.place()),
                    of.executed.left() < 0 ? 0 : 1,
                    std::max<std::int64_t>((of.opens - now_).value, 0)});
}

bool Timeline::read_port(const reference::Port& port, StateReader& state) {
  const std::int64_t last = std::max<std::int64_t>((port.last - now_).value, -1);
  return state.add({last, last < 0 ? 0 : port.entered});
}

bool Timeline::read_unit(Unit& unit, StateReader& state) {
  settle(unit);
  if (!read_port(unit.port, state)) return false;
  if (!state.add({unit.cursor, unit.ledger.in_flight, unit.ledger.at_barrier,
                  beyond_papers_ ? unit.ledger.uncharged : 0,
                  std::max<std::int64_t>((unit.ledger.until - now_).value, 0),
                  std::max<std::int64_t>((unit.latency_until - now_).value, 0)}))
    return false;
  const auto busy = [&](std::int64_t group, Cycles end) {
    return state.add({group, (end - now_).value});
  };
  if (!unit.atomics.each_busy(now_, busy)) return false;
  decide_closed(unit);
  for (const reference::Undecided& span : unit.ledger.undecided) {
    if (!state.add({(span.begin - now_).value, (span.end - now_).value, span.at_barrier ? 1 : 0}))
      return false;
  }
  return true;
}

bool Timeline::read_warp(const Scope& scope, std::int64_t index, StateReader& state) {
  const Warp& of = warp(index);
  if (!state.add({of.next, of.left < 0 ? 0 : 1, of.requested ? 1 : 0, waits(index) ? 1 : 0,
                  static_cast<std::int64_t>(of.ask), of.stages, of.atomic,
                  std::max<std::int64_t>((of.wakes - now_).value, 0)}))
    return false;
  if (beyond_papers_ && !read_operations(index, state)) return false;
  if (several_) return read_flights(scope, index, state);
  // A flight that is over matters while it may decide the kind of an idle span.
  const bool matters = of.end > now_ || may_decide(scope, of.mp, of.end);
  return state.add({matters ? (of.begin - now_).value : 1, matters ? (of.end - now_).value : 1});
}

/// What a warp waits for, and its operators.
bool Timeline::read_operations(std::int64_t index, StateReader& state) {
  const Warp& of = warp(index);
  if (!state.add({of.stalled ? 1 : 0, of.returns ? 1 : 0,
                  of.waiting ? static_cast<std::int64_t>(*of.waiting) : -1}))
    return false;
  bool operates = of.wakes > now_, queued = false;
  for (const OperationState& unit : operations_of(static_cast<std::size_t>(of.mp)))
    queued = queued || unit.waiting.contains(index - unit.first_warp);
  if (operators_.empty() || (!operates && !queued)) return state.add({0});
  const Operators& operators = operators_[static_cast<std::size_t>(index)];
  return state.add(
      {queued ? 1 : 2, operators.count, static_cast<std::int64_t>(operators.operation)});
}

bool Timeline::read_flights(const Scope& scope, std::int64_t index, StateReader& state) {
  const reference::WarpFlights& flights = flights_of_[static_cast<std::size_t>(index)];
  for (const auto& flight : flights.all()) {
    const bool matters = flight.flies || may_decide(scope, warp(index).mp, flight.end);
    if (!state.add({flights.earlier(flight), flight.flies ? 1 : 0, flight.returns ? 1 : 0,
                    flight.reused ? 1 : 0, matters ? (flight.begin - now_).value : 1,
                    matters ? (flight.end - now_).value : 1}))
      return false;
  }
  return state.add({static_cast<std::int64_t>(flights.all().size())});
}

/// Whether a flight that is over may still decide the kind of an idle span.
bool Timeline::may_decide(const Scope& scope, std::int64_t mp, Cycles end) {
  bool may = false;
  for_units_of(mp, [&](Unit& unit) {
    if (!scope.whole && &unit == &units_.back()) return;
    const auto& undecided = unit.ledger.undecided;
    may |= !undecided.empty() && undecided.front().begin < end;
  });
  return may;
}

bool Timeline::waits(std::int64_t index) {
  bool waits = false;
  for_units_of(warp(index).mp,
               [&](Unit& unit) { waits |= unit.waiting.contains(index - unit.first_warp); });
  return waits;
}

/// Decides the idle spans whose kind no request decides any more: only those that lie after the
/// beginning of a flight whose warp has made no request since are open. O(warps of the unit).
void Timeline::decide_closed(Unit& unit) {
  const auto& spans = unit.ledger.undecided;
  if (spans.empty()) return;
  Cycles begin = reference::never;
  for (std::int64_t k = 0; k < unit.served; ++k) {
    const std::int64_t index = unit.first_warp + k;
    const Warp& of = warp(index);
    if (several_) {
      for (const auto& flight : flights_of_[static_cast<std::size_t>(index)].all())
        begin = std::min(begin, flight.begin);
    } else if (of.requested && of.begin < begin && !waits(index)) {
      begin = of.begin;
    }
  }
  const auto before = [](const reference::Undecided& span, Cycles time) {
    return span.begin < time;
  };
  const auto open = std::lower_bound(spans.begin(), spans.end(), begin, before);
  reference::decide_rest(unit.ledger, *unit.account,
                         static_cast<std::size_t>(open - spans.begin()));
  unit.decide_at = std::max(least_spans, 2 * spans.size());
}

// Skips periods of the machine's state. Where warps repeat parts of their logs, or blocks repeat
// intervals, the machine, or an isolated multiprocessor, returns to an earlier state: only the time
// and the repetitions left differ. Until the last repetition nothing else decides what happens
// next, so whole periods are added to the accounts and not simulated.

/// A warp jumps back in its log.
void Timeline::mark(std::int64_t index) {
  const auto mp = static_cast<std::size_t>(warp(index).mp);
  if (warp(index).left < 0) { // it is through
    for (Scope* scope : {&machine(), &scopes_[mp]})
      if (scope->marker == index) scope->marker = -1;
    return;
  }
  if (is_isolated(mp)) mark(scopes_[mp], index);
  if (beyond_papers_) return; // requests in own ports are no part of a state
  // Else, and where it has been isolated for less than a period, the periods of the machine count.
  if (!is_isolated(mp) || isolated_since_[mp] > scopes_[mp].time) mark(machine(), index);
}

/// A block restarts its round of intervals, or has ended its rounds.
void Timeline::mark_rounds(std::int64_t at) {
  if (beyond_papers_) return;
  Scope& scope = rounds();
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
  if (!has_left_flights(scope)) keep_state(scope);
  return true;
}

/// Whether a warp that has ended left requests on their way: no state has them.
bool Timeline::has_left_flights(const Scope& scope) const {
  if (!several_) return false;
  std::int64_t known = 0;
  for (std::int64_t k = 0; k < scope.warps; ++k)
    known += flights_of_[static_cast<std::size_t>(scope.first_warp + k)].on_their_way();
  return known != units_[scope.mp].ledger.in_flight;
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
  if (scope.of_blocks) scope.dealt = assignment_.dealt();
  scope.skipped = skipped_;
  scope.accounts = accounts_of(scope);
  scope.waits.clear();
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

/// Whole periods whose blocks are there; all are at the same place of their rounds and repetitions
/// as before, since they do not belong to the period.
std::int64_t Timeline::periods_of_blocks_left(const Scope& scope) const {
  std::int64_t periods = INT64_MAX;
  for (std::size_t mp = 0; mp < scope.dealt.size(); ++mp) {
    const std::int64_t by = assignment_.dealt()[mp] - scope.dealt[mp];
    if (by > 0) periods = std::min(periods, assignment_.left(mp) / by);
  }
  bool same = periods < INT64_MAX;
  for (std::int64_t k = 0; k < scope.warps; ++k)
    same =
        same && warps_[static_cast<std::size_t>(k)].left == scope.left[static_cast<std::size_t>(k)];
  for (std::size_t k = 0; k < slots_.size(); ++k)
    same = same && slots_[k].executed.left() == scope.left_of_slots[k];
  return same ? periods : 0;
}

/// The blocks of skipped periods have started and ended.
bool Timeline::skip_blocks(const Scope& scope, std::int64_t periods) {
  std::int64_t most = 0;
  std::vector<std::int64_t> first = assignment_.dealt(), count;
  const auto present =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& of) { return of.block >= 0; });
  const BlockLoads& loads = present->executed.loads; // all have the same
  for (std::size_t mp = 0; mp < first.size(); ++mp) {
    count.push_back((first[mp] - scope.dealt[mp]) * periods);
    most = std::max(most, count[mp]);
    const auto number = static_cast<std::int64_t>(mp);
    assignment_.pass(number, count[mp]);
    loads_.add(number, loads.of[0], loads.of[1], count[mp]);
    add(loads, number, count[mp]);
  }
  for (std::int64_t k = 0; k < most; ++k)
    for (std::size_t mp = 0; mp < first.size(); ++mp) {
      if (k >= count[mp]) continue;
      const std::int64_t block =
          static_cast<std::int64_t>(mp) + (first[mp] + k) * machine_.multiprocessors;
      if (!launch_.execute_alike(block) || !launch_.poll()) return !(halted_ = true);
    }
  return true;
}

bool Timeline::skip_periods(Scope& scope) {
  const std::int64_t periods =
      scope.of_blocks ? periods_of_blocks_left(scope) : periods_left(scope);
  if (periods <= 0) return true;
  if (!scope.whole && !was_isolated(scope)) return true;
  const std::int64_t period = (now_ - scope.time).value + skipped_ - scope.skipped;
  const std::int64_t time = reference::saturating_multiply(period, periods);
  if (time > INT64_MAX / 4 || skipped_ > INT64_MAX / 4)
    return launch_.timed.too_large(launch_.code);
  if (scope.of_blocks && !skip_blocks(scope, periods)) return false;
  return skip(scope, periods, time);
}

/// Whether the multiprocessor was independent of the others during the period. The account of the
/// global unit is the exception: its idle time is latency while a request is in flight here, which
/// one always was, or none.
bool Timeline::was_isolated(const Scope& scope) const {
  const std::size_t mp = scope.mp;
  const Unit& unit = units_[mp];
  const bool same = flies(unit) ? unit.flying <= scope.time : unit.emptied <= scope.time;
  return is_isolated(mp) && isolated_since_[mp] <= scope.time && same;
}

/// Whether a request of the multiprocessor is in flight, or was until now.
bool Timeline::flies(const Unit& unit) const {
  return unit.ledger.in_flight > 0 || unit.emptied == now_;
}

} // namespace memlane::fast
