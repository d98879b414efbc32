// Waits that warps end in periods of a multiprocessor that are skipped (timeline_repeats.cpp): the
// global unit, which serves other multiprocessors, too, is charged with them at their times.
#pragma once

#include "accounts.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace memlane::fast {

class MovedWaits {
public:
  struct At {
    Cycles time;
    reference::EndedWait wait;
  };

  /// The waits that end in one period, in order of time: of those that end together the one that
  /// the rule charges.
  class Period {
  public:
    void clear() { waits_.clear(); }
    /// Requires a time that is not before the latest one. False: the period has too many.
    bool add(Cycles time, const reference::EndedWait& wait) {
      if (waits_.empty() || waits_.back().time < time) {
        waits_.push_back({time, wait});
      } else if (wait.warp < waits_.back().wait.warp) {
        waits_.back().wait = wait;
      }
      return waits_.size() < most;
    }

  private:
    friend MovedWaits;
    static constexpr std::size_t most = std::size_t{1} << 16;
    std::vector<At> waits_;
  };

  /// `waits` are those of the latest period up to `now`; others like it follow up to `until`.
  MovedWaits(std::size_t multiprocessor, Period waits, Cycles now, Cycles period, Cycles until)
      : mp_(multiprocessor), waits_(std::move(waits.waits_)), next_(waits_.size()), moved_{0},
        period_(period), now_(now), until_(until) {}

  std::size_t multiprocessor() const { return mp_; }
  Cycles until() const { return until_; }
  /// The first wait behind this time, which grows from call to call; its time is `never` if there
  /// is none. Amortised cost: constant for each wait that is returned, else O(log waits).
  At next(Cycles after) {
    if (waits_.empty()) return {reference::never, {}};
    if (next_ == waits_.size() || time_of(next_) <= after) look_up(after);
    const Cycles time = time_of(next_);
    return {time <= until_ ? time : reference::never, waits_[next_].wait};
  }

private:
  Cycles time_of(std::size_t wait) const { return reference::later(waits_[wait].time, {moved_}); }
  void look_up(Cycles after) {
    if (next_ + 1 < waits_.size() && time_of(next_ + 1) > after) {
      ++next_;
      return;
    }
    // The period that has the time unit behind `after`.
    moved_ = ((after - now_).value / period_.value + 1) * period_.value;
    const auto first = std::partition_point(waits_.begin(), waits_.end(), [&](const At& wait) {
      return wait.time.value + moved_ <= after.value;
    });
    next_ = static_cast<std::size_t>(first - waits_.begin());
    if (next_ < waits_.size()) return;
    next_ = 0;
    moved_ += period_.value;
  }

  std::size_t mp_;
  std::vector<At> waits_;
  std::size_t next_;
  std::int64_t moved_; ///< by how much the waits are moved, in the present period
  Cycles period_, now_, until_;
};

} // namespace memlane::fast
