// When the barriers of a block open (PTX ISA 9.0, section 9.7.13.1).
#pragma once

#include "run_warp.hpp"

#include <bit>
#include <optional>
#include <vector>

namespace memlane::ptx {

/// The barrier at which all lanes that have not ended wait, each warp as a whole and none for a
/// vote.
template <class Warps>
std::optional<std::uint32_t> barrier_of_all(const Warps& warps,
                                            const std::vector<WarpState>& states) {
  std::optional<std::uint32_t> number;
  for (std::size_t k = 0; k < warps.size(); ++k) {
    if (states[k] == WarpState::ended) continue;
    const BarrierWait* const wait = warps[k].wait_of_all();
    if (!wait || (number && *number != wait->number)) return std::nullopt;
    number = wait->number;
  }
  return number;
}

/// Opens the barriers at which as many threads wait, or have arrived, as each waits for: all lanes
/// that have not ended, or a number of threads; of that, a warp whose lanes are all there counts as
/// 32. Calls opened(number, whole) for each; `whole`: all lanes of the block have waited at it.
/// Returns whether one has opened.
template <class Warps, class F>
bool open_barriers(Warps& warps, std::vector<WarpState>& states, BlockBarriers& barriers,
                   F opened) {
  if (const auto number = barrier_of_all(warps, states)) {
    barriers.arrived[*number] = 0;
    for (std::size_t k = 0; k < warps.size(); ++k) {
      if (states[k] == WarpState::ended) continue;
      warps[k].open(*number, {});
      states[k] = WarpState::runs;
    }
    opened(*number, true);
    return true;
  }
  struct Seen {
    std::int64_t threads = 0, wanted = 0;
    std::size_t whole_warps = 0; ///< of which all lanes wait
    BarrierVotes votes;
  };
  Seen seen[barriers_of_block];
  std::uint32_t used = 0; // bits: the barriers at which lanes wait
  std::size_t live = 0;   // warps with lanes that have not ended
  for (std::size_t k = 0; k < warps.size(); ++k) {
    if (states[k] == WarpState::ended) continue;
    const std::uint32_t lanes = warps[k].lanes();
    live += lanes != 0 ? 1 : 0;
    std::uint32_t waiting[barriers_of_block] = {}, used_by_warp = 0;
    warps[k].for_waits([&](const BarrierWait& wait) {
      Seen& one = seen[wait.number];
      waiting[wait.number] |= wait.lanes;
      used_by_warp |= std::uint32_t{1} << wait.number;
      one.wanted = std::max(one.wanted, wait.threads);
      if (!wait.reduces) return;
      one.votes.all = one.votes.all && wait.votes == wait.lanes;
      one.votes.any = one.votes.any || wait.votes != 0;
      one.votes.count += std::popcount(wait.votes);
    });
    used |= used_by_warp;
    for (std::uint32_t left = used_by_warp; left != 0; left &= left - 1) {
      const int number = std::countr_zero(left);
      if (waiting[number] == 0) continue;
      const bool all = waiting[number] == lanes;
      seen[number].whole_warps += all ? 1 : 0;
      seen[number].threads += all ? warp_lanes : std::popcount(waiting[number]);
    }
  }
  bool done = false;
  for (; used != 0; used &= used - 1) {
    const auto number = static_cast<std::uint32_t>(std::countr_zero(used));
    const Seen& one = seen[number];
    const std::int64_t threads = one.threads + barriers.arrived[number];
    const bool whole = one.whole_warps == live;
    if (!(one.wanted > 0 ? threads >= one.wanted : whole)) continue;
    barriers.arrived[number] = 0;
    for (std::size_t k = 0; k < warps.size(); ++k) {
      if (states[k] == WarpState::ended) continue;
      bool waits = false;
      warps[k].for_waits([&](const BarrierWait& wait) { waits = waits || wait.number == number; });
      if (!waits) continue;
      warps[k].open(number, one.votes);
      states[k] = WarpState::runs;
    }
    opened(number, whole);
    done = true;
  }
  return done;
}

} // namespace memlane::ptx
