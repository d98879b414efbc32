// When the barriers of a block open (PTX ISA 9.0, section 9.7.13.1).
#pragma once

#include "run_warp.hpp"

#include <bit>
#include <vector>

namespace memlane::ptx {

/// Opens the barriers at which as many threads wait, or have arrived, as each waits for: all lanes
/// that have not ended, or a number of threads; of that, a warp whose lanes are all there counts as
/// 32. Calls opened(number, whole) for each; `whole`: all lanes of the block have waited at it.
/// Returns whether one has opened.
template <class Warps, class F>
bool open_barriers(Warps& warps, std::vector<WarpState>& states, BlockBarriers& barriers,
                   F opened) {
  struct Seen {
    std::int64_t threads = 0, wanted = 0;
    bool whole = true, waits = false;
    BarrierVotes votes;
  };
  Seen seen[barriers_of_block];
  bool any = false;
  for (std::size_t k = 0; k < warps.size(); ++k) {
    if (states[k] == WarpState::ended) continue;
    std::uint32_t waiting[barriers_of_block] = {};
    warps[k].for_waits([&](const BarrierWait& wait) {
      Seen& one = seen[wait.number];
      any = one.waits = true;
      waiting[wait.number] |= wait.lanes;
      one.wanted = std::max(one.wanted, wait.threads);
      if (!wait.reduces) return;
      one.votes.all = one.votes.all && wait.votes == wait.lanes;
      one.votes.any = one.votes.any || wait.votes != 0;
      one.votes.count += std::popcount(wait.votes);
    });
    for (std::uint32_t number = 0; number < barriers_of_block; ++number) {
      const bool all = waiting[number] == warps[k].lanes();
      seen[number].whole = seen[number].whole && all;
      seen[number].threads += all ? warp_lanes : std::popcount(waiting[number]);
    }
  }
  bool done = false;
  for (std::uint32_t number = 0; any && number < barriers_of_block; ++number) {
    const Seen& one = seen[number];
    const std::int64_t threads = one.threads + barriers.arrived[number];
    if (!one.waits || !(one.wanted > 0 ? threads >= one.wanted : one.whole)) continue;
    barriers.arrived[number] = 0;
    for (std::size_t k = 0; k < warps.size(); ++k) {
      if (states[k] == WarpState::ended) continue;
      bool waits = false;
      warps[k].for_waits([&](const BarrierWait& wait) { waits = waits || wait.number == number; });
      if (!waits) continue;
      warps[k].open(number, one.votes);
      states[k] = WarpState::runs;
    }
    opened(number, one.whole);
    done = true;
  }
  return done;
}

} // namespace memlane::ptx
