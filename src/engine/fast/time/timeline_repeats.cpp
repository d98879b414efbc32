// Repetitions in closed form. Where warps repeat parts of their logs, or blocks repeat intervals,
// the machine, or one multiprocessor that is isolated, returns to a state it was in: only the time
// differs, and how many repetitions are left. What happens next depends on nothing else, until the
// last repetition. So whole periods are counted and not executed.
#include "timeline.hpp"

#include <algorithm>

namespace memlane::fast {

/// Called when a warp jumps back in its log.
void Timeline::mark(std::int64_t index) {
  const auto mp = static_cast<std::size_t>(warp(index).mp);
  if (warp(index).left < 0) { // it is through
    for (Scope* scope : {&machine(), &scopes_[mp]})
      if (scope->marker == index) scope->marker = -1;
    return;
  }
  if (is_isolated(mp)) mark(scopes_[mp], index);
  // Else, and where it only is for the moment, the machine's periods count.
  if (!is_isolated(mp) || isolated_since_[mp] > scopes_[mp].time) mark(machine(), index);
}

/// Called when a block begins a round of intervals anew, or has come to the end of its rounds.
void Timeline::mark_rounds(std::int64_t at) {
  Scope& scope = scopes_.back();
  if (slot(at).executed.left() >= 0) {
    mark(scope, at);
  } else if (scope.marker == at) {
    scope.marker = -1;
  }
}

/// One warp of a scope at a time, or slot, marks its periods.
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

/// Whether a multiprocessor has nothing to do with the others: none of its requests is in the
/// global unit, and there are no steps that all take together.
bool Timeline::is_isolated(std::size_t mp) const {
  return machine_.shared && machine_.global && !streams_ && !machine_.lockstep &&
         global_in_flight_[mp] == 0;
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
  if (state == scope.state && !skip_periods(scope)) return false;
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
  scope.left_of_slots.clear();
  for (std::int64_t k = 0; k < scope.slots; ++k)
    scope.left_of_slots.push_back(slot(scope.first_slot + k).executed.left());
  scope.skipped = skipped_;
  scope.accounts = accounts_of(scope);
}

/// Whole ones that all warps and blocks have before them; 0: the same state was no period.
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

/// Whether the multiprocessor had nothing to do with the others in the period. The global unit's
/// account is the exception: its idle time is latency while a request is in flight here, as one was
/// always.
bool Timeline::was_isolated(const Scope& scope) const {
  const std::size_t mp = scope.first_unit;
  return is_isolated(mp) && isolated_since_[mp] <= scope.time && units_[mp].flying <= scope.time;
}

} // namespace memlane::fast
