// What is counted while a run goes on. Integers only; ratios are the report's matter.
#pragma once

#include "memlane/engine/stream.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace memlane {

/// Latency is looked at with 2, 4, … 2^latency_doublings times the threads or resident blocks, too.
inline constexpr std::size_t latency_doublings = 12;

/// One memory unit over a launch or a run (configs/README.md section 5): time = busy + idle kinds.
struct UnitCounts {
  std::int64_t requests = 0;
  std::int64_t stages = 0;
  std::int64_t reads = 0;             ///< requests that read
  std::int64_t writes = 0;            ///< requests that write
  std::int64_t concurrent_writes = 0; ///< words that two or more lanes of one request wrote
  std::int64_t busy = 0;              ///< time units in which at least one stage entered
  std::int64_t idle_latency = 0;
  std::int64_t idle_barrier = 0;
  std::int64_t idle_drain = 0;
  std::int64_t idle_empty = 0;
  std::int64_t resident_warps = 0; ///< most that it served at once
  /// No run is shorter, since a warp waits for each of its requests ([NI] section IV, the latency
  /// limitation): the time of the longest chain of requests, each of s stages taking latency - 1 +
  /// s (s / ports, rounded up). Of a block it is added up from barrier to barrier; blocks that take
  /// turns on a multiprocessor follow each other, and so do launches.
  std::int64_t latency_bound = 0;
  /// By how much that exceeds what the stages take (stages / ports): between two barriers where the
  /// unit serves one block at a time, else in a launch; added up.
  std::int64_t exposed = 0;
  /// The same with 2^(k + 1) times the threads or resident blocks: an upper bound of what a run of
  /// the program would have. Equal to `exposed` where they would change nothing, or nothing that
  /// the requests of this run tell.
  std::array<std::int64_t, latency_doublings> exposed_with_threads{}, exposed_with_blocks{};
  std::map<std::int64_t, std::int64_t> congestion; ///< stages s -> requests that took s

  std::int64_t conflicts() const { return stages - requests; }
  UnitCounts& operator+=(const UnitCounts& other);
};

/// Several units as one: sums; of the warps served at once, the most.
UnitCounts sum_of(const std::vector<UnitCounts>& units);

/// What one source line cost.
struct LineCounts {
  std::int64_t requests = 0;
  std::int64_t stages = 0;
  std::int64_t worst = 0; ///< most stages of one request
};

/// Counts of a run, or of all launches of one kernel.
struct Counts {
  Cycles time{0};
  std::int64_t launches = 0;
  std::int64_t barriers = 0;      ///< released, summed over blocks
  std::int64_t instructions = 0;  ///< counted operators (configs/README.md section 6)
  std::int64_t shared_words = 0;  ///< most shared memory of any block
  std::vector<UnitCounts> shared; ///< one a multiprocessor; empty where the machine has none
  std::vector<UnitCounts> global; ///< one, or empty
  std::map<std::pair<std::int32_t, std::int32_t>, LineCounts> lines; ///< by (file, line)

  Counts& operator+=(const Counts& other);
};

} // namespace memlane
