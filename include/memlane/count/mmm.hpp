// What an MMM counts: the work, span and overhead of blocks, and their greedy schedule
// (configs/README.md section 8, [HMX]).
#pragma once

#include "memlane/count/counts.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace memlane {

/// What the threads of one block execute: the work is their sum, each other count the maximum over
/// them.
struct MmmBlock {
  std::int64_t work = 0;        ///< counted operators of all its threads
  std::int64_t span = 0;        ///< S: counted operators
  std::int64_t reads = 0;       ///< r: words read from global memory
  std::int64_t writes = 0;      ///< s: words written to global memory
  std::int64_t transfers = 0;   ///< words read and written
  std::int64_t thread_time = 0; ///< operators, and U for each word read or written

  bool operator==(const MmmBlock&) const = default;
};

/// Runs blocks on P multiprocessors: the one that is free first takes the next block.
class GreedySchedule {
public:
  /// None: unbounded.
  explicit GreedySchedule(std::optional<std::int64_t> processors) : processors_(processors) {}

  /// Where a block runs.
  struct Place {
    std::int64_t start = 0;
    std::int64_t multiprocessor = 0;
  };

  /// The blocks that follow start when all before have ended.
  void begin_stage();
  /// A block of this time. Cost: log P.
  Place add(std::int64_t time);
  /// So many blocks of this time. Those of no time cost nothing: they change no other's place.
  void add(std::int64_t time, std::int64_t blocks);
  /// The end of all blocks so far; INT64_MAX if it does not fit 64 bits.
  std::int64_t makespan() const { return end_; }

private:
  std::optional<std::int64_t> processors_;
  std::int64_t start_ = 0, end_ = 0; ///< the stage's time
  std::int64_t used_ = 0;            ///< multiprocessors of the stage that have run a block
  /// A heap, the earliest first: when each used multiprocessor ends, and its number.
  std::vector<std::pair<std::int64_t, std::int64_t>> are_free_;
};

/// The blocks of one launch, in their order.
class MmmLaunch {
public:
  void add(const MmmBlock& block, std::int64_t transfer);

  std::int64_t work = 0, overhead = 0, span = 0;
  std::int64_t transfer_time = 0, thread_time = 0;
  std::int64_t local_accesses = 0;
  std::int64_t blocks = 0; ///< also those that executed nothing, whose time is 0
  /// S + O of neighbouring blocks, and how many of them have it.
  std::vector<std::pair<std::int64_t, std::int64_t>> times;
};

/// Adds up launches.
class MmmSums {
public:
  explicit MmmSums(std::optional<std::int64_t> processors);

  /// `stage` as in LaunchTally; it does not decrease.
  void add(const MmmLaunch& launch, std::int64_t stage);
  MmmCounts counts() const;
  /// Its span is the maximum over the blocks, as [HMX] defines the span of a kernel.
  MmmCounts counts_of_kernel() const;

private:
  MmmCounts sums_;             ///< sums that do not have the present stage
  std::int64_t most_span_ = 0; ///< the longest span of a block
  std::int64_t stage_ = -1, stage_blocks_ = 0, stage_span_ = 0, stage_time_ = 0;
  GreedySchedule schedule_;
};

} // namespace memlane
