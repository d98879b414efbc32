// The steps of a block under way, in the order in which they are issued: counted, and kept for a
// machine.
#pragma once

#include "equal_launches.hpp"
#include "known_intervals.hpp"
#include "launch_watch.hpp"

#include <functional>
#include <optional>
#include <utility>

namespace memlane::ptx {

/// What the blocks of a launch share.
struct SharedByBlocks {
  std::vector<SectorCounts>& sectors; ///< by site
  KnownRequests& known;
  KnownIntervals& intervals;
  std::vector<AtomicGroup>& groups; ///< of the request at hand
};

class BlockLog {
public:
  /// `requests`: those of the block's multiprocessor, by site. Refers to all of them.
  BlockLog(const WatchedLaunch& launch, SharedByBlocks shared, std::vector<RequestTally>& requests,
           std::int64_t number);

  /// The warp waits for these earlier requests; for all of them if there are none. `instruction`:
  /// as in Step.
  void wait(std::int64_t warp, std::span<const std::uint32_t> awaited, std::int32_t instruction);
  /// Operators of one class, one after the other.
  void compute(std::int64_t warp, OperationClass operation, std::int64_t count);
  void request(std::int64_t warp, std::size_t site, const Operation& op,
               const LaneAddresses& lanes);
  void fence(std::int64_t warp);
  /// What a warp does in a round of a loop in which it may wait is put off until it is known to
  /// count. As AccessObserver::round.
  bool round(std::int64_t warp, RoundEvent event);
  /// `whole`: all warps that have not ended have passed it.
  void barrier(bool whole);
  void end(std::int64_t warp);
  /// All its warps have ended, or it is given up.
  void finish();

  bool is_over(std::size_t warp) const { return over_[warp]; }
  std::int64_t bytes() const;
  /// Of all its warps.
  std::uint64_t asked() const { return asked_in_all_.bits(); }
  BlockSteps take_steps() { return std::move(*steps_); }
  KeptBlock take_kept() { return std::move(kept_); }

private:
  /// Steps without a number, as AskedSteps has them; others are below.
  static constexpr std::uint64_t asked_barrier = ~std::uint64_t{0},
                                 asked_operators = std::uint64_t{1} << 63,
                                 asked_wait = std::uint64_t{1} << 62;

  /// A round's steps, which are added to the log when it is known that they count.
  struct Round {
    bool open = false;
    bool is_whole = true; ///< false: some of its steps are in the log already
    std::vector<std::function<void()>> steps;
  };

  bool is_held(std::int64_t warp) const { return rounds_[static_cast<std::size_t>(warp)].open; }
  void hold(std::int64_t warp, std::function<void()> step);
  void let_go(Round& round);
  // Steps that follow no known interval.
  void ask(std::int64_t warp, std::size_t site, const RequestLanes& lanes,
           const KnownRequest& known, bool looks_for_races);
  void operate(std::int64_t warp, OperationClass operation, std::int64_t count);
  void await(std::int64_t warp, std::span<const std::uint32_t> awaited, std::int32_t instruction);
  void count(const KnownRequest& known, RequestTally& tally) const;
  void count(const KnownRequest& known, SectorCounts& sectors) const;
  const IntervalStep* follow(std::int64_t warp, std::size_t site, const LaneAddresses& lanes);
  void leave();
  void repeat(const KnownInterval& interval);
  void keep_interval(bool last, std::uint64_t bits,
                     std::shared_ptr<const BlockSteps::Interval> asked);
  std::uint64_t take_asked();
  void keep(std::int64_t warp, std::size_t site, const LaneAddresses& lanes);
  const UnitSpec& unit_of(const SiteInfo& site) const {
    return site.unit == UnitId::shared ? *launch_.machine.shared : *launch_.machine.global;
  }
  /// Whether its requests pass a multiprocessor's own port.
  bool uses_port(const SiteInfo& site) const {
    return site.unit == UnitId::global && launch_.machine.has_own_ports();
  }
  /// The address of word 0 of the memory that they access.
  std::uint64_t origin_of(const LaneAddresses& lanes) const {
    return lanes.space == Space::shared ? 0 : launch_.origin;
  }

  const WatchedLaunch& launch_;
  SharedByBlocks shared_;
  std::vector<RequestTally>& requests_;
  GridRaces::Block* races_ = nullptr;
  std::vector<Round> rounds_;     ///< by warp
  std::vector<bool> over_;        ///< by warp
  std::vector<AskedSteps> asked_; ///< by warp, in the present interval
  AskedSteps asked_in_all_;       ///< in those before it
  IntervalPath path_;
  std::int64_t races_before_ = 0;   ///< the present interval
  std::optional<BlockSteps> steps_; ///< for time_launch; else:
  KeptBlock kept_;
  std::vector<RequestTally> own_; ///< by site, where the schedule is dynamic
  bool finished_ = false;
};

} // namespace memlane::ptx
