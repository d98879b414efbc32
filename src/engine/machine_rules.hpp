// The rules of a launch that both engines follow: which blocks are resident where, when a barrier
// opens, how far a launch may go (configs/README.md sections 3 and 4).
#pragma once

#include "saturate.hpp"

#include "memlane/engine/stream.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/support/limits.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace memlane::reference {

/// What a launch takes of the machine.
struct Residency {
  Residency(const MachineSpec& machine, const LaunchShape& shape);

  std::int64_t multiprocessors; ///< those that ever get a block
  /// Blocks that one of them can hold at once, as far as the launch can use the places. With one
  /// memory for all, every block's shared words have their own place in it throughout.
  std::int64_t slots;
  std::int64_t most_slots; ///< the same with any number of resident blocks
  std::int64_t warps_of_block;

  /// Warps that are resident at once; the greatest number if they cannot be counted.
  std::int64_t warps() const {
    return saturating_multiply(saturating_multiply(multiprocessors, slots), warps_of_block);
  }
  /// Whether a launch may have so many warps, of which each takes memory.
  bool fits(const Limits& limits) const;
};

/// Memory that a resident warp counts for, in bytes.
inline constexpr std::int64_t bytes_of_warp = 48;

/// Whether block g is on multiprocessor g mod d, whatever happens when.
bool deals_statically(const MachineSpec& machine);

/// Which block starts where. Static: block g on multiprocessor g mod d, in increasing order.
/// Dynamic: the next block on the one with the fewest resident blocks, ties to the lower.
class BlockAssignment {
public:
  BlockAssignment(const MachineSpec& machine, const LaunchShape& shape, const Residency& residency);

  struct Start {
    std::int64_t block = 0, multiprocessor = 0;
  };
  /// The next block to start now, which is resident from here on; none: no multiprocessor that has
  /// room has a block left.
  std::optional<Start> next();
  /// A block of the multiprocessor has ended.
  void leave(std::int64_t multiprocessor);

  std::int64_t started() const { return started_; }
  std::int64_t finished() const { return finished_; }
  /// Whether all blocks have ended.
  bool over() const { return finished_ == blocks_; }

private:
  std::optional<Start> next_static();
  std::optional<Start> next_dynamic();

  bool dynamic_;
  std::int64_t blocks_, all_multiprocessors_, slots_;
  std::vector<std::int64_t> dealt_, resident_; ///< blocks, by multiprocessor
  std::size_t look_at_ = 0; ///< static: the multiprocessors before it have no room or no block left
  std::int64_t started_ = 0, finished_ = 0;
};

/// A barrier opens when the last warp of its block has arrived; one whose instructions are over
/// counts as arrived.
constexpr bool opens_barrier(std::int64_t arrived, std::int64_t ended, std::int64_t warps) {
  return arrived > 0 && arrived + ended >= warps;
}

/// The last time allowed of a launch that starts at `start`. `never` itself is beyond every limit,
/// so that no time has overflowed where it is used.
inline Cycles last_time(const Limits& limits, Cycles start) {
  return std::min(Cycles{limits.time}, Cycles{INT64_MAX - 1}) - start;
}

} // namespace memlane::reference
