// Blocks of one warp each that are executed together: their warps are one tile. So an instruction
// is interpreted once for all of them.
//
// Blocks do not depend on each other, so they need not wait for each other at barriers: the lanes
// of a block wait in masks until control joins again. What must not mix is kept by block: words of
// shared arrays, logs, chains, and the watches for races.
#pragma once

#include "launch_run.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace memlane::fast {

class BlocksTogether {
public:
  /// Refers to the launch.
  explicit BlocksTogether(LaunchRun& launch);

  /// How many blocks of the launch may be executed together, by so many threads; 1: none.
  static std::int64_t most(const LaunchRun& launch, std::size_t threads);

  /// Executes blocks first, first + 1, …: one for each of `executed`. The launch's tally has the
  /// counts of each, `logged` what one has logged in the mean. False has halted the run.
  bool execute(std::int64_t first, std::span<ExecutedBlock* const> executed);

private:
  /// One of the blocks, in its present interval.
  struct Member {
    ExecutedBlock* executed = nullptr;
    StepLog log;
    std::array<std::int64_t, 2> stages{}; ///< indexed by UnitId
  };

  bool start(std::int64_t first);
  bool make_shared_arrays(std::int64_t first);
  bool end_intervals(bool last);
  void close(std::size_t place, bool last);
  bool finish();

  LaunchRun& launch_;
  Tile tile_;
  SharedPlaces places_;
  std::vector<Member> members_;
  StepLog log_;                      ///< of the tile since the latest barrier of any
  std::shared_ptr<Interval> latest_; ///< that was closed
  std::int64_t entries_ = 0;         ///< of all closed ones
  std::vector<std::vector<unsigned char>> shared_words_;
  std::map<std::size_t, WatchesOfBlocks> watches_; ///< by array
};

} // namespace memlane::fast
