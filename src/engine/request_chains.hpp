// Chains of requests. A warp waits for each of its requests (configs/README.md section 3), so the
// time between two barriers is at least that of the longest chain of one warp's requests.
//
// It also bounds how much shorter chains would be if blocks had 2^k times the threads. The R rounds
// of a warp in a forall would then be divided among 2^k warps, of which each executes at most
// ceil(R / 2^k). This number times the longest time of one round is a bound. Code outside of
// foralls is executed by every thread, so it does not get shorter.
#pragma once

#include "memlane/engine/account.hpp"
#include "memlane/machine/spec.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace memlane::reference {

/// A number for each k = 0, 1, …: with 2^k times the threads or blocks.
using ByDoubling = std::array<std::int64_t, latency_doublings + 1>;

/// The least k from which more threads hide nothing more: twice as many as fill the pipelines of
/// all units, so that rounding up does not matter.
int useful_doublings(const MachineSpec& machine);

/// The least time of a request: its last stage enters ceil(stages / ports) - 1 time units after its
/// first and completes l later (configs/README.md section 3).
constexpr std::int64_t least_time(const UnitSpec& unit, std::int64_t stages) {
  return unit.latency.value - 1 + (unit.ports == 1 ? stages : (stages - 1) / unit.ports + 1);
}

/// The chains of warps 0, 1, … in one memory unit, in time units. Functions take ranges of warps
/// first <= w < last. A warp is in a round of a forall or outside of foralls.
class RequestChains {
public:
  RequestChains() : RequestChains(0, 0) {}
  RequestChains(std::int64_t warps, int doublings);

  /// Adds a request of a warp, or of every warp, with its least time.
  void add(std::int64_t warp, std::int64_t time) { now_[place(warp)] += time; }
  void add_all(std::int64_t time) { every_ += time; }
  /// Adds a request of each warp with stages.
  void add_each(const UnitSpec& unit, const std::uint16_t* stages, std::int64_t warps) {
    for (std::size_t w = 0; w < place(warps); ++w)
      now_[w] += stages[w] > 0 ? least_time(unit, stages[w]) : 0;
  }
  /// The requests since the last call of an `end_` function were made outside of foralls.
  void end_serial(std::int64_t first, std::int64_t last);
  /// They were made in round number `round` of a forall, from 0.
  void end_round(std::int64_t first, std::int64_t last, std::int64_t round);
  /// The forall has ended.
  void end_forall(std::int64_t first, std::int64_t last);
  /// At a barrier or the end of the block: returns the longest chains since the last one and starts
  /// new ones.
  ByDoubling take(std::int64_t first, std::int64_t last);

  /// Adds the requests since `before` `times` more (fast/vectors/loop_extrapolator.hpp). `rounds`:
  /// how many rounds of the present forall they were; 0: less than one, or none. False if numbers
  /// become too large.
  bool repeat(const RequestChains& before, std::int64_t rounds, std::int64_t times);

private:
  static std::size_t place(std::int64_t warp) { return static_cast<std::size_t>(warp); }

  /// Adds the requests of all warps to each warp.
  void spread();

  using Numbers = std::vector<std::int64_t>; ///< by warp
  std::size_t doublings_;
  Numbers now_;            ///< requests not assigned to a round yet
  std::int64_t every_ = 0; ///< further requests that every warp has made
  Numbers most_,
      rounds_;  ///< of the present forall: longest round; rounds up to the last with requests
  Numbers all_; ///< of this interval, without `now_`
  std::vector<Numbers> less_; ///< by k - 1: likewise, the bound with 2^k times the threads
};

} // namespace memlane::reference
