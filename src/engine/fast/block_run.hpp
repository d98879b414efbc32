// One block of a launch: its intervals between barriers, executed tile by tile.
#pragma once

#include "executed_block.hpp"

#include <memory>

namespace memlane::fast {

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
  /// Of all blocks that have finished, as LaunchTally::multiprocessors.
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
  std::map<std::int32_t, RaceWatch> watches_;   ///< by array
  Chains longest_{};                            ///< in the present interval
  std::array<std::int64_t, 2> stages_before_{}; ///< of the block, by UnitId, when it began
  std::array<reference::BlockLoad, 2> loads_{}; ///< of the block, likewise
  std::vector<Tally> tallies_;
};

} // namespace memlane::fast
