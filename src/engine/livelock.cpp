#include "livelock.hpp"

namespace memlane {

namespace {

/// Rounds without a change of memory before a state is kept.
constexpr std::int64_t first_kept = 64;

} // namespace

WarpRepeats::Found WarpRepeats::round_ends(const Lanes& lanes, std::uint64_t changes,
                                           Budget& budget) {
  if (changes_ != changes || rounds_ == 0) {
    changes_ = changes;
    rounds_ = 0;
    next_ = first_kept;
    repeats_ = false;
  }
  if (repeats_) return Found::nothing;
  if (++rounds_ == next_) { // each twice as late: a cycle may begin late and be long
    next_ = keep(lanes, budget) ? 2 * next_ : INT64_MAX;
    return Found::nothing;
  }
  if (rounds_ < first_kept || next_ == INT64_MAX || !lanes.is_in(*kept_)) return Found::nothing;
  if (reads_ == reads_before_) return Found::alone;
  repeats_ = true;
  barrier_ = barriers_ != barriers_before_;
  return Found::repeats;
}

/// False: there is no memory for the state.
bool WarpRepeats::keep(const Lanes& lanes, Budget& budget) {
  const std::int64_t more = lanes.bytes_of_state() - bytes_;
  if (more > budget.limits->memory - budget.bytes) return false;
  if (more > 0) {
    budget.bytes += more;
    bytes_ += more;
  }
  kept_ = lanes.state();
  reads_before_ = reads_;
  barriers_before_ = barriers_;
  return true;
}

} // namespace memlane
