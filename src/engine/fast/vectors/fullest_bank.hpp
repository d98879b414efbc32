// The bank of most lanes of a request by 32 lanes on 32 banks, with the instructions of some
// processors.
#pragma once

#include <cstdint>
#include <vector>

namespace memlane::fast {

struct FullestBank {
  int lanes = 0;           ///< of the bank with the most
  std::uint32_t which = 0; ///< they: bit i is lane i
};

/// Lane i asks for word `base + words[i]`, in the bank of its number modulo 32; words may be equal.
using FullestOf32 = FullestBank (*)(std::uint32_t base, const std::int32_t* words);

/// Those that this processor has instructions for, the fastest first; all find a bank with as many
/// lanes.
std::vector<FullestOf32> all_fullest_of_32();

} // namespace memlane::fast
