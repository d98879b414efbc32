// Executes blocks of compiled programs, interval by interval.
#pragma once

#include "blocks_together.hpp"
#include "launch_run.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace memlane::fast {

/// Executes blocks one after the other. Memory and memory's races are the launch's.
class BlockRunner final : public BlockSource {
public:
  /// `pauses`: long intervals may be executed in parts.
  BlockRunner(LaunchRun& launch, bool pauses);
  /// From now on none are.
  void execute_whole() { pauses_ = false; }

  bool start(std::int64_t block) override;
  bool advance(Interval& interval) override;
  bool extend(Interval& interval) override;
  bool finish(BlockLoads& loads) override;
  const std::vector<Tally>& tallies() const override { return tallies_; }
  void close() override;

  /// Executes blocks together, each from its beginning to its end (BlocksTogether::execute), or one
  /// alone.
  bool execute(std::int64_t first, std::span<ExecutedBlock* const> executed);

  /// Adds blocks of a multiprocessor that need not be executed, with this tally each.
  void add_blocks(std::size_t multiprocessor, std::int64_t blocks, const BlockTally& tally) {
    tally.add_to(tallies_[multiprocessor], blocks);
  }

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
  bool pauses_;
  std::int64_t block_ = 0;
  std::size_t pc_ = 0; ///< where the next interval begins
  std::uint32_t foralls_ = 0;
  std::vector<TileState> states_;
  std::int64_t interval_ = 0;       ///< of the present block
  std::vector<std::int64_t> order_; ///< of its tiles, which matters only to an ordered launch
  std::vector<std::vector<unsigned char>> shared_words_;
  SharedPlaces places_;
  std::map<std::int32_t, RaceWatch> watches_;   ///< keyed by array
  Chains longest_{};                            ///< the longest in the present interval
  std::array<std::int64_t, 2> stages_before_{}; ///< its stages at the beginning, indexed by UnitId
  std::array<reference::BlockLoad, 2> loads_{}; ///< its loads, likewise
  std::vector<Tally> tallies_;
  std::unique_ptr<BlocksTogether> together_;
};

} // namespace memlane::fast
