// What the lanes of a warp access, lane beside lane: most of what is asked about requests follows
// from that without a search.
#pragma once

#include <cstdint>

namespace memlane::ptx {

/// Bit l compares lane l with lane l - 1: only bits from 1 up to the number of lanes - 1 say
/// something, of `even` from 2.
struct Neighbours {
  std::uint32_t same = 0;              ///< the same words
  std::uint32_t next = 0;              ///< the words behind those of the other lane
  std::uint32_t apart = 0;             ///< words behind those of the other lane, there or later
  std::uint32_t rising = 0;            ///< they begin where those of the other lane do, or later
  std::uint32_t even = 0;              ///< as far from lane l - 1 as that is from lane l - 2
  std::uint32_t sector = 0, group = 0; ///< another piece of 32 bytes, of 128 bytes
};

/// Of 32 addresses, each of `words` words of 2^shift bytes.
using FindNeighbours = Neighbours (*)(const std::uint64_t* addresses, int shift,
                                      std::uint64_t words);

/// Whether 32 addresses are 32 others, all moved by the same multiple of `period`, a power of two.
using AreMoved = bool (*)(const std::uint64_t* addresses, const std::uint64_t* others,
                          std::uint64_t period);

} // namespace memlane::ptx
