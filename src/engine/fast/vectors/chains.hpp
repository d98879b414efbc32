// Requests one after the other in the warps of a tile (../../request_chains.hpp).
#pragma once

#include "request_chains.hpp"

#include <array>
#include <cstdint>

namespace memlane::fast {

/// Requests of the present tile's warps, one after the other.
struct TileChains {
  std::array<reference::RequestChains, 2> of; ///< by UnitId
  std::int64_t warps = 0;
  std::int64_t round = -1; ///< of the present forall; none has begun: -1
};
/// The longest of an interval, by UnitId.
using Chains = std::array<reference::ByDoubling, 2>;

/// What the execution of a block has added up so far, beside its tally and chains.
struct BlockSums {
  std::int64_t steps = 0, iterations = 0, shared_stages = 0, memory_stages = 0;
  std::int64_t logged = 0; ///< bytes of step logs

  BlockSums operator-(const BlockSums& before) const {
    return {steps - before.steps, iterations - before.iterations,
            shared_stages - before.shared_stages, memory_stages - before.memory_stages,
            logged - before.logged};
  }
};

} // namespace memlane::fast
