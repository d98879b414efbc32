// Requests one after the other in the warps of a tile (../../accounts.hpp).
#pragma once

#include "accounts.hpp"

#include <array>
#include <cstdint>

namespace memlane::fast {

/// The longest of an interval, by UnitId.
using Chains = std::array<reference::ByDoubling, 2>;

/// The chains of requests of the present tile's warps, outside of foralls and in their rounds.
struct TileChains {
  std::array<reference::RequestChains, 2> of; ///< indexed by UnitId
  std::int64_t warps = 0;
  std::int64_t round = -1; ///< round of the present forall; none has begun: -1

  /// A round of a forall ends, or of a loop outside of foralls.
  void end_round() {
    for (reference::RequestChains& chains : of) {
      if (round < 0) {
        chains.end_serial(0, warps);
      } else {
        chains.end_round(0, warps, round);
      }
    }
  }
  void next_round_of_forall() {
    if (round >= 0) end_round();
    ++round;
  }
  /// The code outside of foralls ends, or a forall.
  void end_part() {
    end_round();
    if (round >= 0)
      for (reference::RequestChains& chains : of) chains.end_forall(0, warps);
    round = -1;
  }
  Chains take() {
    end_part();
    return take_of(0, warps);
  }
  /// Of warps first <= w < last, after an `end_part`.
  Chains take_of(std::int64_t first, std::int64_t last) {
    return {of[0].take(first, last), of[1].take(first, last)};
  }
};

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
