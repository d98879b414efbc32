// What a launch's latency cannot hide, from the chains of requests of its blocks: bounds from below
// of its time and of a unit's idle time (count/hiding.hpp says what they mean).
#pragma once

#include "machine_rules.hpp"
#include "request_chains.hpp"

#include "memlane/engine/stream.hpp"

namespace memlane::reference {

/// A block's requests to one unit. Its intervals are one after the other.
struct BlockLoad {
  ByDoubling chain{};   ///< the longest of each interval, added up
  ByDoubling exposed{}; ///< time units of its intervals in which the port idles at least, if the
                        ///< unit serves this block alone

  /// An interval with these longest chains and so many stages.
  void add_interval(const UnitSpec& unit, const ByDoubling& longest, std::int64_t stages);
};

/// Of all blocks of a launch, by multiprocessor.
class LaunchLoads {
public:
  LaunchLoads(const MachineSpec& machine, const LaunchShape& shape, const Residency& residency);

  /// A block that has ended on a multiprocessor.
  void add(std::int64_t multiprocessor, const BlockLoad& shared, const BlockLoad& global);
  /// Sets the latencies' bounds of the launch's units. `stages`: of each, the shared ones by
  /// multiprocessor, then the global one.
  void finish(LaunchTally& tally, const std::vector<std::int64_t>& stages) const;

private:
  struct Sums {
    ByDoubling chain{}, longest{}, exposed{};
  };
  void add(Sums& sums, const BlockLoad& block) const;
  void finish(UnitAccount& account, std::int64_t stages, const UnitSpec& unit, const Sums* first,
              std::size_t count) const;
  static std::int64_t bound(const Sums* first, std::size_t count, std::size_t k,
                            std::int64_t slots);

  const MachineSpec& machine_;
  const LaunchShape& shape_;
  std::int64_t slots_, most_slots_;
  std::vector<Sums> shared_, global_; ///< by multiprocessor
};

} // namespace memlane::reference
