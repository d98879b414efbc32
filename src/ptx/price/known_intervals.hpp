// Intervals between barriers in which the warps of a block do the same as in an earlier one, as
// those of most rounds and blocks do. Such an interval is counted once, and then added as a whole;
// between two barriers, equal accesses to shared memory have the races that they had before.
#pragma once

#include "price/request_shape.hpp"

#include "memlane/engine/stream.hpp"
#include "memlane/engine/tally.hpp"
#include "memlane/engine/timed_launch.hpp"
#include "memlane/ptx/price.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace memlane::ptx {

/// A step of a warp: a request, a computation, a wait, or its end.
struct IntervalStep {
  StepKind kind = StepKind::end;
  OperationClass operation = OperationClass::other;
  std::int64_t warp = 0;
  std::int64_t count = 0; ///< of a computation: operators; of a wait: Step::instruction
  std::size_t site = 0;   ///< of a request, likewise:
  const KnownRequest* known = nullptr;
  std::uint64_t first = 0; ///< in shared memory: the address of the first active lane
  const std::vector<std::uint32_t>* awaited = nullptr; ///< of a wait; equal ones are one

  bool operator==(const IntervalStep&) const = default;
};

/// What all warps do in an interval, in the order in which they are executed.
struct KnownInterval {
  struct OfSite {
    std::size_t site = 0;
    SectorCounts sectors;
    RequestTally requests;
  };

  std::vector<IntervalStep> steps;
  bool last = false; ///< the block ends behind it; else a barrier follows
  std::shared_ptr<const BlockSteps::Interval> asked;
  std::uint64_t bits = 0; ///< AskedSteps of all warps
  std::vector<OfSite> sites;

  // Those that have come after it, the latest one first: a guess, as steps are compared one by one.
  static constexpr std::size_t most_next = 4;
  std::vector<KnownInterval*> next;
  int failures = 0; ///< how often none of them has, lately
};

/// Those of a launch.
class KnownIntervals {
public:
  /// Where blocks begin.
  KnownInterval& begin() { return begin_; }
  bool has_room_for(std::size_t steps) const { return steps_ + steps <= most_steps; }
  /// Step::awaited of a wait, where it stays.
  const std::vector<std::uint32_t>* keep(std::span<const std::uint32_t> awaited) {
    const auto [kept, fresh] = awaited_.emplace(awaited.begin(), awaited.end());
    if (fresh) spend(1 + awaited.size());
    return &*kept;
  }
  /// So many steps have been recorded: what they refer to stays.
  void spend(std::size_t steps) { steps_ += steps; }
  KnownInterval& add(KnownInterval&& interval) {
    spend(interval.steps.size() + 64);
    return all_.emplace_back(std::move(interval));
  }

private:
  /// In about 16 megabytes, and as many requests of some hundred bytes at most as have their places
  /// in them.
  static constexpr std::size_t most_steps = std::size_t{1} << 18;

  KnownInterval begin_;
  std::deque<KnownInterval> all_;
  std::set<std::vector<std::uint32_t>> awaited_;
  std::size_t steps_ = 0;
};

/// A block's way through the intervals of its launch: each either follows a known one, step by
/// step, or is recorded.
class IntervalPath {
public:
  /// `known`: null: none is followed or recorded.
  explicit IntervalPath(KnownIntervals* known) : known_(known) {
    if (known) begin_behind(&known->begin());
  }

  /// The block's next step, if it `is_next(IntervalStep)` in a known interval; else null, and none
  /// is followed any more.
  template <class IsNext>
  const IntervalStep* follow(IsNext is_next) {
    if (!followed_) return nullptr;
    const auto goes_on = [&](const KnownInterval& interval) {
      return at_ < interval.steps.size() && is_next(interval.steps[at_]);
    };
    return change(goes_on) ? &followed_->steps[at_++] : nullptr;
  }
  /// The interval ends here: it is a known one, whose steps must be added; null: it is not.
  const KnownInterval* end(bool last);

  /// The steps that were followed, if then one came that is in no known interval: they count one by
  /// one. They are given once.
  std::span<const IntervalStep> take_steps() {
    if (followed_) leave();
    return std::span(left_ ? std::exchange(left_, nullptr)->steps.data() : nullptr,
                     std::exchange(at_, 0));
  }

  /// A step that follows none.
  void record(const IntervalStep& step) {
    if (!records_) return;
    recorded_.push_back(step);
    records_ = known_->has_room_for(recorded_.size());
  }
  /// The present interval cannot be followed by others.
  void forbid() { records_ = false; }
  bool records() const { return records_; }
  /// The interval has ended, and was recorded.
  void add(KnownInterval&& interval);
  /// It was not.
  void skip();
  std::vector<IntervalStep>& recorded() { return recorded_; }

private:
  void begin_behind(KnownInterval* before);
  /// Follows the first interval that `is_it`, among those that began as the block's does. False:
  /// there is none.
  template <class Is>
  bool change(Is is_it) {
    if (is_it(*followed_)) return true;
    const auto changes = [&](KnownInterval* other) {
      if (!other || other == followed_ || !begins_alike(*other) || !is_it(*other)) return false;
      followed_ = other;
      return true;
    };
    if (std::any_of(before_->next.begin(), before_->next.end(), changes) ||
        std::any_of(latest_.begin(), latest_.end(), changes))
      return true;
    leave();
    return false;
  }
  bool begins_alike(const KnownInterval& other) const;
  void leave();

  static constexpr int most_failures = 16;

  KnownIntervals* known_;
  KnownInterval* before_ = nullptr;   ///< the one before the present interval; null: unknown
  KnownInterval* expected_ = nullptr; ///< in the place of the present one
  KnownInterval* followed_ = nullptr; ///< by the present one
  KnownInterval* left_ = nullptr;     ///< followed up to `at_`
  /// Those before it, the latest one first: in a loop, it may be one of them again.
  std::array<KnownInterval*, 4> latest_{};
  std::size_t at_ = 0;
  bool records_ = false;
  std::vector<IntervalStep> recorded_;
};

} // namespace memlane::ptx
