// The counts of one kernel's launches, added up launch by launch.
#pragma once

#include "memlane/count/derive.hpp"

namespace memlane {

/// A count that is a maximum over multiprocessors is taken of each launch: the maximum of sums is
/// not the sum of maxima.
class LaunchSums {
public:
  /// Refers to the machine.
  LaunchSums(CodeFacts facts, const MachineSpec& machine)
      : facts_(std::move(facts)), machine_(machine), time_(facts_.statements.size()) {}

  /// Returns the launch's own counts after [K]. Cost: linear in the kernel's code x the
  /// multiprocessors that executed it.
  AgpuCounts add(const LaunchTally& launch);
  /// Adds what warps reported of the launch: `pram` and `bsp`.
  void add(const Counts& of_warps) { of_warps_ += of_warps; }
  /// Of all launches so far.
  Counts counts() const;
  void add_accesses(const std::vector<ir::Array>& arrays,
                    std::vector<AccessCounts>& accesses) const {
    count_accesses(sum_, facts_, arrays, accesses);
  }
  const CodeFacts& facts() const { return facts_; }

private:
  std::int64_t add_slowest(const LaunchTally& launch);
  void add_statement_lines(Counts& counts) const;

  CodeFacts facts_;
  const MachineSpec& machine_;
  std::int64_t launches_ = 0;
  LaunchTally sum_;
  AgpuCounts agpu_;
  Counts of_warps_;
  std::vector<std::int64_t>
      time_; ///< by statement: on each launch's slowest multiprocessor, summed
  std::vector<StatementCounts> statements_, slowest_; ///< of the launch that is added
};

/// Of a machine whose units are not timed.
void forget_time(Counts& counts);

/// The time of counts on this machine: on an AGPU that after [K].
Cycles time_on(const MachineSpec& machine, Cycles time, const AgpuCounts& agpu);

} // namespace memlane
