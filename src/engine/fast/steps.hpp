// What a tile's warps ask of the machine between two barriers, in order: for all of them at once
// where they ask the same.
#pragma once

#include "memlane/engine/stream.hpp"

#include <cstdint>
#include <vector>

namespace memlane::fast {

enum class Ask : std::uint8_t { shared, global, compute };

/// `amount`: stages of a request, counted operators of a computation. Of `each`, the place in the
/// log's amounts where that of the tile's first warp stands; 0: the warp takes no part.
struct Entry {
  Ask ask = Ask::global;
  bool each = false;
  std::uint32_t amount = 0;
};

struct StepLog {
  std::vector<Entry> entries;
  std::vector<std::uint16_t> amounts;

  void clear() {
    entries.clear();
    amounts.clear();
  }
  /// Forgets the first entries, which all warps have passed.
  void drop(std::size_t count);
};

/// Amounts of warps fit 16 bits: a request has at most as many stages as a warp has lanes.
inline constexpr std::int64_t most_amount = UINT16_MAX;

} // namespace memlane::fast
