// Executes blocks, interval by interval; what a block has while it is executed.
#pragma once

#include "launch_run.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace memlane::fast {

// An executed block: all that its warps ask, from barrier to barrier.

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

// One block of a launch: its intervals between barriers, executed tile by tile.

/// Warps in a tile of a launch's blocks. `tile_lanes`: threads that are executed together; 0: as
/// fits the caches.
int warps_of_tile(const MachineSpec& machine, const LaunchShape& shape, int tile_lanes);
int warps_of_tile(const LaunchRun& launch);

/// Executes blocks one after the other. Memory and memory's races are the launch's.
class BlockRunner {
public:
  /// `pauses`: long intervals may be executed in parts.
  BlockRunner(LaunchRun& launch, bool pauses);

  bool start(std::int64_t block);
  /// Executes the next interval of the block; false if execution has halted.
  bool advance(Interval& interval);
  /// Executes more of a partial interval, which adds to its log.
  bool extend(Interval& interval);
  /// After the last interval: what the block has asked of the units.
  bool finish(BlockLoads& loads);
  /// The tallies of all blocks that have finished, as LaunchTally::multiprocessors.
  const std::vector<Tally>& tallies() const { return tallies_; }
  /// The launch is over.
  void close();

private:
  bool make_shared_arrays();
  void view_memory();
  bool shared_with_others(std::size_t array) const;
  bool run_tile(Interval& interval);
  bool advance_tiles(Interval& interval);
  void begin_interval();
  bool close_interval();
  void note_chains();

  LaunchRun& launch_;
  Tile tile_;
  int tile_warps_;
  bool pauses_;
  std::int64_t block_ = 0;
  std::size_t pc_ = 0; ///< where the next interval begins
  std::uint32_t foralls_ = 0;
  std::vector<TileState> states_;
  std::vector<std::vector<unsigned char>> shared_words_;
  SharedPlaces places_;
  std::map<std::int32_t, RaceWatch> watches_;   ///< keyed by array
  Chains longest_{};                            ///< the longest in the present interval
  std::array<std::int64_t, 2> stages_before_{}; ///< its stages at the beginning, indexed by UnitId
  std::array<reference::BlockLoad, 2> loads_{}; ///< its loads, likewise
  std::vector<Tally> tallies_;
};

} // namespace memlane::fast
