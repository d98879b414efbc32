// Requests that warps make one after the other between two barriers: a warp waits for each of its
// requests (configs/README.md section 3), so that no interval is shorter than its longest chain.
//
// Beside that, by what chains would shrink if blocks had 2^k times the threads. The iterations of a
// forall that a warp executes in R rounds would then be dealt to 2^k warps, and no warp executes
// more than ceil(R / 2^k) rounds; with m requests in the greediest round that is a bound. What
// stands outside of foralls each thread executes anyway.
#pragma once

#include "memlane/engine/account.hpp"
#include "memlane/machine/spec.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace memlane::reference {

/// A number for each k = 0, 1, …: with 2^k times as much of something.
using ByDoubling = std::array<std::int64_t, latency_doublings + 1>;

/// The least k from which on more threads hide nothing more: with twice as many as fill the
/// pipelines of all units, even where ceil rounds up.
int useful_doublings(const MachineSpec& machine);

/// Time units that a request takes at least: its last stage enters ceil(stages / ports) - 1 after
/// its first, and is done l after that (configs/README.md section 3).
constexpr std::int64_t least_time(const UnitSpec& unit, std::int64_t stages) {
  return unit.latency.value - 1 + (unit.ports == 1 ? stages : (stages - 1) / unit.ports + 1);
}

/// The chains of some warps in one memory unit, in time units. Numbers of warps are from 0 on, in
/// ranges first <= w < last. A warp is outside of foralls, or in a round of one.
class RequestChains {
public:
  RequestChains() : RequestChains(0, 0) {}
  RequestChains(std::int64_t warps, int doublings);

  /// A warp, or all of them, makes a request that takes so long at least.
  void add(std::int64_t warp, std::int64_t time) { now_[place(warp)] += time; }
  void add_all(std::int64_t time) { every_ += time; }
  /// The warps with stages make requests.
  void add_each(const UnitSpec& unit, const std::uint16_t* stages, std::int64_t warps) {
    for (std::size_t w = 0; w < place(warps); ++w)
      now_[w] += stages[w] > 0 ? least_time(unit, stages[w]) : 0;
  }
  /// What the warps have done since the last such call was done outside of foralls.
  void end_serial(std::int64_t first, std::int64_t last);
  /// … was round number `round` of a forall, from 0 on.
  void end_round(std::int64_t first, std::int64_t last, std::int64_t round);
  /// Behind its last round.
  void end_forall(std::int64_t first, std::int64_t last);
  /// A barrier, or the end of the block: the longest chains since the last one. The warps begin
  /// anew.
  ByDoubling take(std::int64_t first, std::int64_t last);

  /// What was done since `before`, so many `times` again (fast/vectors/loop_extrapolator.hpp).
  /// `rounds`: how many of the present forall that were; 0: less than one, or none. False if
  /// numbers grow too large.
  bool repeat(const RequestChains& before, std::int64_t rounds, std::int64_t times);

private:
  static std::size_t place(std::int64_t warp) { return static_cast<std::size_t>(warp); }

  /// What all warps have done is written down for each.
  void spread();

  using Numbers = std::vector<std::int64_t>; ///< by warp
  std::size_t doublings_;
  Numbers now_;               ///< of requests that belong to no round yet
  std::int64_t every_ = 0;    ///< of those that all warps have made beside them
  Numbers most_, rounds_;     ///< of the present forall: in one round; up to the last with one
  Numbers all_;               ///< in this interval, without `now_`
  std::vector<Numbers> less_; ///< by k - 1: the bound with 2^k times the threads, likewise
};

} // namespace memlane::reference
