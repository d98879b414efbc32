// Repetitions in closed form. Where warps go through repetitions of their logs, the machine, or one
// multiprocessor that nobody outside has to do with, comes back to the same state, but for the time
// and for how often warps will still go through them. What happens next there depends on nothing
// else, as long as no warp comes to the end of its repetition: so whole periods of it are counted,
// not gone through.
#include "timeline.hpp"

#include <algorithm>

namespace memlane::fast {

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
  if (state == scope.state && !leap_over_periods(scope)) return false;
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
  if (time > INT64_MAX / 4 || skipped_ > INT64_MAX / 4)
    return launch_.fast.too_large(launch_.kernel.span);
  return skip(scope, periods, time);
}

/// Whether the multiprocessor had nothing to do with the others in the period, but for the global
/// unit's account: its idle time is latency while a request is in flight here, as one was always.
bool Timeline::was_by_itself(const Scope& scope) const {
  const std::size_t mp = scope.first_unit;
  return is_home(mp) && home_since_[mp] <= scope.time && units_[mp].flying <= scope.time;
}

} // namespace memlane::fast
