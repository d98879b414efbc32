// Where the time of a memory unit goes (configs/README.md section 5), and what latency costs it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace memlane {

/// Latency is looked at with 2, 4, … 2^latency_doublings times the threads or resident blocks, too.
inline constexpr std::size_t latency_doublings = 12;

/// One memory unit over a launch or a run: time = busy + the four idle kinds.
struct UnitAccount {
  std::int64_t busy = 0; ///< time units in which at least one stage entered
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

  /// Another launch on the same unit: sums; of the warps served at once, the most.
  UnitAccount& operator+=(const UnitAccount& other);
  bool operator==(const UnitAccount&) const = default;
};

} // namespace memlane
