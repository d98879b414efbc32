// The barriers of a block (PTX ISA 9.0, section 9.7.13.1): 16 of them, each for all threads or for
// a number of them.
#pragma once

#include <array>
#include <cstdint>

namespace memlane::ptx {

inline constexpr std::uint32_t barriers_of_block = 16;

/// Threads that have come to barriers and did not wait: bar.arrive.
struct BlockBarriers {
  std::array<std::int64_t, barriers_of_block> arrived{};
};

/// Lanes of a warp that wait at a barrier.
struct BarrierWait {
  std::uint32_t number = 0;
  std::int64_t threads = 0; ///< that it waits for; 0: all of the block
  std::uint32_t lanes = 0;
  bool reduces = false;
  std::uint32_t votes = 0; ///< of a reduction
};

/// What bar.red finds.
struct BarrierVotes {
  bool all = true, any = false;
  std::int64_t count = 0;
};

} // namespace memlane::ptx
