// Requests one after the other in the warps of a tile (../../request_chains.hpp).
#pragma once

#include "request_chains.hpp"

#include <array>

namespace memlane::fast {

/// Requests of the present tile's warps, one after the other.
struct TileChains {
  std::array<reference::RequestChains, 2> of; ///< by UnitId
  std::int64_t warps = 0;
  std::int64_t round = -1; ///< of the present forall; none has begun: -1
};
/// The longest of an interval, by UnitId.
using Chains = std::array<reference::ByDoubling, 2>;

} // namespace memlane::fast
