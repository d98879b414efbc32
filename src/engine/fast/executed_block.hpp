// An executed block: all that its warps ask, from barrier to barrier.
#pragma once

#include "launch_run.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace memlane::fast {

/// What the tiles of a block ask between two barriers.
struct Interval {
  std::vector<StepLog> tiles;
  bool last = false;    ///< the block ends behind it; else a barrier follows
  bool partial = false; ///< not at its end: `BlockRunner::extend` executes more

  bool operator==(const Interval&) const = default;
};

/// The intervals in order. Intervals that repeat, as in a loop with barriers over the tiles of a
/// matrix, are kept once.
class ExecutedBlock {
public:
  BlockLoads loads;

  /// Execution: a place for the next interval. `close` ends it.
  Interval& open();
  void close();

  /// Reading, from the first interval on, which is there once the first `open` has returned.
  Interval& present() { return intervals_[at_]; }
  const Interval& present() const { return intervals_[at_]; }
  /// Moves to the next interval. Requires that the present one is not the last.
  void advance();
  /// Which interval; all rounds of one have the same place.
  std::size_t place() const { return at_; }
  /// How many more rounds follow the present one; -1 outside rounds.
  std::int64_t left() const { return left_; }
  void set_left(std::int64_t left) { left_ = left; }

private:
  static constexpr std::size_t longest = 8; ///< intervals of a round
  /// Intervals that are executed once and `times` times more.
  struct Rounds {
    std::size_t first = 0, length = 0;
    std::int64_t times = 0;
  };
  bool continues_rounds();
  void find_rounds();

  std::vector<Interval> intervals_;
  std::vector<Rounds> rounds_;
  // Execution:
  bool in_rounds_ = false; ///< the latest intervals are those of the last rounds,
  std::size_t phase_ = 0;  ///< and this one is the next; those before it are not kept
  std::array<std::size_t, longest + 1> alike_{}; ///< latest intervals that are those so many before
  Interval next_;
  // Reading:
  std::size_t at_ = 0, next_rounds_ = 0;
  std::int64_t left_ = -1;
};

} // namespace memlane::fast
