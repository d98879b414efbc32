// Where the time of a memory unit goes (configs/README.md section 5), and what latency costs it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace memlane {

/// The account also bounds the exposed latency with 2, 4, … 2^latency_doublings times the threads
/// or resident blocks.
inline constexpr std::size_t latency_doublings = 12;

/// One memory unit over a launch or a run: time = busy + the four idle kinds.
struct UnitAccount {
  std::int64_t busy = 0; ///< time units in which at least one stage entered
  std::int64_t idle_latency = 0;
  std::int64_t idle_barrier = 0;
  std::int64_t idle_drain = 0;
  std::int64_t idle_empty = 0;
  std::int64_t resident_warps = 0; ///< the most that it served at the same time
  /// A lower bound of the run's time ([NI] section IV, the latency limitation): a warp waits for
  /// each of its requests, so the longest chain of requests takes at least this long. A request of
  /// s stages takes latency - 1 + ceil(s / ports). A block's bound is the sum over its intervals
  /// between barriers; bounds of blocks that follow each other on a multiprocessor add up, and so
  /// do those of launches.
  std::int64_t latency_bound = 0;
  /// The time units by which the longest chains exceed the time of the stages (stages / ports).
  /// They are compared between two barriers if the unit serves one block at a time, else over a
  /// whole launch, and summed.
  std::int64_t exposed = 0;
  /// An upper bound of `exposed` in a run with 2^(k + 1) times the threads or resident blocks.
  /// Equal to `exposed` if they would change nothing, or if this run's requests do not tell.
  std::array<std::int64_t, latency_doublings> exposed_with_threads{}, exposed_with_blocks{};

  /// Adds another launch on the same unit. `resident_warps` becomes the larger of the two.
  UnitAccount& operator+=(const UnitAccount& other);
  bool operator==(const UnitAccount&) const = default;
};

} // namespace memlane
