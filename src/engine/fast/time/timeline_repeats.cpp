// Skips periods of the machine's state. Where warps repeat parts of their logs, or blocks repeat
// intervals, the machine, or an isolated multiprocessor, returns to an earlier state: only the time
// and the repetitions left differ. Until the last repetition nothing else decides what happens
// next, so whole periods are added to the accounts and not simulated.
#include "timeline.hpp"

#include <algorithm>

namespace memlane::fast {

/// A warp jumps back in its log.
void Timeline::mark(std::int64_t index) {
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
    return launch_.fast.too_large(launch_.kernel.span);
  return skip(scope, periods, time);
}

/// Whether the multiprocessor was independent of the others during the period. The account of the
/// global unit is the exception: its idle time is latency while a request is in flight here, and
/// one always was.
bool Timeline::was_isolated(const Scope& scope) const {
  const std::size_t mp = scope.first_unit;
  return is_isolated(mp) && isolated_since_[mp] <= scope.time && units_[mp].flying <= scope.time;
}

} // namespace memlane::fast
