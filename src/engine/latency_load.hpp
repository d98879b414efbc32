// Lower bounds of a launch's time and of a unit's idle time, from the chains of requests of its
// blocks (count/hiding.hpp explains them).
#pragma once

#include "machine_rules.hpp"
#include "request_chains.hpp"

#include "memlane/engine/stream.hpp"

namespace memlane::reference {

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

  /// Adds a block that has ended on a multiprocessor.
  void add(std::int64_t multiprocessor, const BlockLoad& shared, const BlockLoad& global);
  /// Sets the latency bounds in the accounts of the launch's units. `stages`: of the shared units
  /// by multiprocessor, then of the global unit.
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
