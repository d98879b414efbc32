// The accounts of a launch: where the time of its memory units goes, and what latency costs.
#pragma once

#include "machine_rules.hpp"

#include "memlane/engine/stream.hpp"
#include "memlane/engine/tally.hpp"
#include "memlane/machine/spec.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace memlane::reference {

// The account of a memory unit's time (configs/README.md section 5).

/// An idle span in which a request was in flight. It is latency if one of the warps in flight later
/// makes another request; otherwise `at_barrier` decides.
struct Undecided {
  Cycles begin;
  Cycles end;
  bool at_barrier = false; ///< a warp waited at a barrier: idle_barrier, else idle_drain
};

/// A warp's wait that is over (configs/README.md section 10, "What warps wait for").
struct EndedWait {
  WaitCause cause = WaitCause::port;
  std::int64_t warp = 0; ///< its number on the machine; of a barrier: the block's first warp
  std::int32_t instruction = -1, site = -1; ///< as in ValueWait
};

/// The account of one unit. It counts the warps that the unit serves, whichever unit holds their
/// requests: all warps of its multiprocessor, or of the machine for the global unit.
struct Ledger {
  Cycles until{0}; ///< accounted for so far
  std::int64_t in_flight = 0;
  std::int64_t at_barrier = 0;
  std::vector<Undecided> undecided; ///< sorted by time
  std::int64_t uncharged = 0;       ///< idle time units since a wait has ended
  Cycles charged_at{-1};            ///< when idle time was charged last, and how much to which wait
  std::int64_t charged = 0;
  EndedWait charged_to;
};

/// Accounts for the time up to `now`. Call this before the port or a number in the ledger changes:
/// they must be constant between two calls, so that each span has one kind.
void settle(Ledger& ledger, const Port& port, UnitAccount& account, Cycles now);

/// A warp whose request was in flight from `begin` to `end` makes another request: the undecided
/// spans in between are latency. Each span is decided once. Amortised cost: O(log spans).
void decide_latency(Ledger& ledger, UnitAccount& account, Cycles begin, Cycles end);

/// No warp in flight during the first so many undecided spans makes another request.
void decide_rest(Ledger& ledger, UnitAccount& account, std::size_t spans);

/// A warp of the unit ends a wait at `now`, up to which the ledger is settled. The wait is charged
/// with the idle time since the wait that ended before it. Several that end now: the first warp's.
void charge(Ledger& ledger, UnitAccount& account, Cycles now, const EndedWait& wait);

/// The launch has ended at `now`: no warp makes another request. If a limit ended it, busy time
/// after `now` is subtracted.
void close(Ledger& ledger, const Port& port, UnitAccount& account, Cycles now);

// Chains of requests. A warp waits for each of its requests (configs/README.md section 3), so the
// time between two barriers is at least as long as the longest chain of one warp's requests. Where
// a warp may have k requests on their way, a barrier waits for those that return a value; the time
// is at least 1/k of their chain.
//
// It also bounds how much shorter chains would be if blocks had 2^k times the threads. The R rounds
// of a warp in a forall would then be divided among 2^k warps, of which each executes at most
// ceil(R / 2^k). This number times the longest time of one round is a bound. Code outside of
// foralls is executed by every thread, so it does not get shorter.

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

/// The least time of an atomic with these groups on a unified unit.
constexpr std::int64_t least_time(const UnitSpec& unit, std::span<const AtomicGroup> groups) {
  std::int64_t last = 0, place = 0;
  for (const AtomicGroup& group : groups)
    last = std::max(last, place++ / unit.ports + service_time(unit, group));
  return unit.latency.value - 1 + last;
}

/// The least time of a request that has s stages in its multiprocessor's own port and touches these
/// groups. One that reuses may need none of them.
constexpr std::int64_t least_time_behind(const UnitSpec& global, std::int64_t stages,
                                         std::span<const AtomicGroup> groups, bool atomic,
                                         bool reuses) {
  const std::int64_t behind = atomic ? least_time(global, groups)
                                     : least_time(global, static_cast<std::int64_t>(groups.size()));
  return stages + (reuses ? std::min(behind, global.reuse_latency.value) : behind);
}

/// The chains of warps 0, 1, … in one memory unit, in time units. Functions take ranges of warps
/// first <= w < last. A warp is in a round of a forall or outside of foralls.
class RequestChains {
public:
  RequestChains() : RequestChains(0, 0) {}
  RequestChains(std::int64_t warps, int doublings);

  /// Adds a request of a warp, or of every warp, with its least time.
  void add(std::int64_t warp, std::int64_t time) {
    own_ = true;
    now_[place(warp)] += time;
  }
  void add_all(std::int64_t time) { every_.now += time; }
  /// Adds a request of each warp with stages.
  void add_each(const UnitSpec& unit, const std::uint16_t* stages, std::int64_t warps) {
    own_ = true;
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

  bool is_all(std::int64_t first, std::int64_t last) const {
    return first == 0 && place(last) == now_.size();
  }

  /// Makes those of every warp their own.
  void spread_every();

  /// Chains of one warp, or of all of them.
  struct Chain {
    std::int64_t now = 0;              ///< requests not assigned to a round yet
    std::int64_t most = 0, rounds = 0; ///< the present forall's: longest round; rounds up to the
                                       ///< last with requests
    std::int64_t all = 0;              ///< this interval's, without `now`
  };

  using Numbers = std::vector<std::int64_t>; ///< indexed by warp
  std::size_t doublings_;
  Numbers now_, most_, rounds_, all_; ///< as in Chain
  std::vector<Numbers> less_; ///< indexed by k - 1: likewise, the bound with 2^k times the threads
  /// Further requests that every warp has made: they cost the same for any number of warps.
  Chain every_;
  Numbers less_of_every_; ///< indexed by k - 1
  bool own_ = false;      ///< some are in now_
};

// Lower bounds of a launch's time and of a unit's idle time, from the chains of requests of its
// blocks (count/hiding.hpp explains them).

/// The least time of these chains where a warp may have k requests on their way: 1/k, rounded up.
ByDoubling overlapped(ByDoubling chains, std::int64_t k);

/// A block's requests to one unit, summed over its intervals.
struct BlockLoad {
  ByDoubling chain{};   ///< the longest of each interval, summed
  ByDoubling exposed{}; ///< lower bound of the port's idle time in its intervals, if the unit
                        ///< serves only this block

  /// Adds an interval with these longest chains and this number of stages.
  void add_interval(const UnitSpec& unit, const ByDoubling& longest, std::int64_t stages);
};

/// The loads of a launch's blocks, by multiprocessor.
class LaunchLoads {
public:
  LaunchLoads(const MachineSpec& machine, const LaunchShape& shape, const Residency& residency);

  /// Adds a block that has ended on a multiprocessor, or so many that are equal.
  void add(std::int64_t multiprocessor, const BlockLoad& shared, const BlockLoad& global,
           std::int64_t blocks = 1);
  /// Sets the latency bounds in the accounts of the launch's units. `stages`: of the shared units
  /// by multiprocessor, then of the global unit.
  void finish(LaunchTally& tally, const std::vector<std::int64_t>& stages) const;

private:
  struct Sums {
    ByDoubling chain{}, longest{}, exposed{};
  };
  void add(Sums& sums, const BlockLoad& block, std::int64_t blocks) const;
  std::int64_t slots_with_threads(std::size_t k) const;
  void finish(UnitAccount& account, std::int64_t stages, const UnitSpec& unit, const Sums* first,
              std::size_t count) const;
  static std::int64_t bound(const Sums* first, std::size_t count, std::size_t k,
                            std::int64_t slots);

  const MachineSpec& machine_;
  const LaunchShape& shape_;
  std::int64_t slots_, most_slots_;
  std::vector<Sums> shared_, global_; ///< indexed by multiprocessor
};

} // namespace memlane::reference
