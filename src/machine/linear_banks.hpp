// The banks or address groups that a linear map of bits gives to elements, searched for those with
// the fewest stages.
#pragma once

#include "memlane/machine/bank_search.hpp"

namespace memlane {

std::vector<std::int64_t> distinct_elements(const LaneIndices& elements);

/// Bits of the numbers of so many elements.
std::int64_t bits_of(std::int64_t elements);

struct LinearBanks {
  BitMap map;             ///< the best one found
  std::int64_t steps = 0; ///< choices of a bank or group for a bit
  bool whole = true;      ///< no linear map has a smaller sum of stages
};

/// Requires a width of a power of two, and elements of at most BitMap::most_bits bits. Ends early
/// where the sum of stages is `least`.
LinearBanks find_linear_banks(const LayoutSearch& search, std::int64_t least);

} // namespace memlane
