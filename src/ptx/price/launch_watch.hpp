// What the warps of a launch ask, as its blocks are executed: counted, and kept for a machine.
#pragma once

#include "exec/run_grid.hpp"
#include "price/grid_races.hpp"
#include "price/known_intervals.hpp"
#include "price/priced_kernel.hpp"
#include "price/request_shape.hpp"

#include "memlane/engine/stream.hpp"
#include "memlane/engine/tally.hpp"
#include "memlane/engine/timed_launch.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace memlane::ptx {

/// A step of a warp as the reference machine takes it.
struct KeptStep {
  StepKind kind = StepKind::end;
  std::int16_t words = 1; ///< of a lane of a request; of a computation: its OperationClass
  std::int32_t site = -1; ///< of a wait: how many it awaits
  std::int64_t value = 0; ///< of a request: the place of its first address; of a computation: its
                          ///< operators; of a wait: its place in KeptBlock::awaited
};

/// The steps of a block's warps, with addresses.
struct KeptBlock {
  std::vector<std::vector<KeptStep>> warps;
  std::vector<std::int64_t> addresses; ///< 32 for each request: words; -1: not active
  /// Of each wait one more than Step::instruction, then Step::awaited.
  std::vector<std::uint32_t> awaited;

  std::span<const std::uint32_t> awaited_by(const KeptStep& wait) const {
    return std::span(awaited).subspan(static_cast<std::size_t>(wait.value) + 1,
                                      static_cast<std::size_t>(wait.site));
  }
  std::int32_t instruction_of(const KeptStep& wait) const {
    return static_cast<std::int32_t>(awaited[static_cast<std::size_t>(wait.value)]) - 1;
  }
};

/// What a launch's blocks have in common for those who watch them.
struct WatchedLaunch {
  const PricedKernel& kernel;
  const MachineSpec& machine;
  std::int64_t warps_of_block = 1;
  bool keeps = false;         ///< steps with addresses
  bool waits = false;         ///< which steps need which earlier reads
  bool times = true;          ///< steps for time_launch
  bool dynamic = false;       ///< blocks count their requests by themselves (LaunchTally::dynamic)
  bool groups = false;        ///< address groups are counted beside stages (RequestTally::groups)
  std::uint64_t origin = 0;   ///< the address of word 0 of global memory
  GridRaces* races = nullptr; ///< null: not looked for
};

class LaunchWatch final : public GridObserver {
public:
  explicit LaunchWatch(const WatchedLaunch& launch);
  ~LaunchWatch() override;

  Watched begins(std::int64_t block) override;
  void ends(std::int64_t block) override;

  /// The steps of a block, which is given up if it has not ended. Each block once.
  BlockSteps take_steps(std::int64_t block, KeptBlock* kept = nullptr);
  KeptBlock take_kept(std::int64_t block);
  /// Adds what the blocks so far have executed to the tallies by multiprocessor; `requests`: also
  /// what they have asked.
  void add_to(LaunchTally& tally, bool requests) const;
  /// By site: pieces of 32 bytes that its requests touched and needed.
  const std::vector<SectorCounts>& sectors() const { return sectors_; }
  /// What the blocks that have ended asked, in whatever order they did: equal for launches of one
  /// kernel and shape that ask the same, but for a chance of 2^-64. Not of steps with addresses.
  std::uint64_t asked() const { return asked_; }
  /// Bytes of steps that no machine has taken yet.
  std::int64_t bytes() const { return bytes_; }

private:
  class Block;
  /// What the blocks of a multiprocessor add up to.
  struct Sums {
    std::vector<StepCount> counts;       ///< by instruction
    std::vector<StepCount*> by_function; ///< by function of the module; null: not reached
    std::vector<RequestTally> requests;  ///< by site
  };

  std::unique_ptr<Block> take(std::int64_t block);
  Sums& sums_of(std::int64_t block);

  WatchedLaunch launch_;
  std::vector<Sums> sums_; ///< by multiprocessor
  std::vector<SectorCounts> sectors_;
  KnownRequests known_;
  KnownIntervals intervals_;
  std::map<std::int64_t, std::unique_ptr<Block>> blocks_; ///< begun and not taken
  std::int64_t bytes_ = 0;
  std::vector<AtomicGroup> groups_; ///< of the request at hand
  std::uint64_t asked_ = 0;
};

} // namespace memlane::ptx
