// Counts of launches, derived from their tallies and static facts of the code.
#pragma once

#include "memlane/count/counts.hpp"
#include "memlane/engine/stream.hpp"
#include "memlane/ir/program.hpp"
#include "memlane/machine/spec.hpp"

#include <cstdint>
#include <vector>

namespace memlane {

// Counts, derived from tallies.

/// Totals of the memory units (requests, stages, reads, writes, congestion) and their accounts.
void count_units(const LaunchTally& tally, const KernelInfo& kernel, const MachineSpec& machine,
                 Counts& counts);

/// The requests, stages, I/O and operators of each source line.
void count_lines(const LaunchTally& tally, const KernelInfo& kernel, Counts& counts);

/// What each source line costs on an MMM.
void count_mmm_lines(const LaunchTally& tally, const KernelInfo& kernel, Counts& counts);

/// Adds the requests of each access: `arrays` are Program::arrays.
void count_accesses(const LaunchTally& tally, const KernelInfo& kernel,
                    const std::vector<ir::Array>& arrays, std::vector<AccessCounts>& accesses);

/// Counted operators that warps executed (configs/README.md section 6).
std::int64_t count_operators(const LaunchTally& tally, const KernelInfo& kernel);

/// Adds the calls of fns in one launch, by Program::fns. Steps are those of the launch's slowest
/// multiprocessor, so launches must be added one by one.
void count_calls(const LaunchTally& launch, const KernelInfo& kernel, std::vector<FnCounts>& fns);

/// Address groups that the requests to memory arrays accessed, request by request: the I/O of [K].
/// Requires blocks of one full warp: groups are counted for these (reference::counts_groups).
std::int64_t count_io(const LaunchTally& tally, const KernelInfo& kernel);
std::int64_t count_io(const RequestTally& requests, const SiteInfo& site);

/// Sums over the executions of one statement by the warps of one multiprocessor. An execution costs
/// max(1, operators + global operands) + conflicts ([K]; configs/README.md section 6); `cost` is
/// the sum of these, since the 1 only matters in silent executions.
struct StatementCounts {
  std::int64_t executions = 0;
  std::int64_t operators = 0;
  std::int64_t global_operands = 0; ///< requests to memory arrays
  std::int64_t silent = 0;          ///< executions with neither of them
  std::int64_t conflicts = 0;       ///< stages of the papers' machine beyond each request's first
  std::int64_t blocks_touched = 0;  ///< address groups of global operands, request by request

  std::int64_t cost() const { return operators + global_operands + silent + conflicts; }

  bool operator==(const StatementCounts&) const = default;
};

/// Sets the counts of all statements, by KernelInfo::statements.
void count_statements(const Tally& tally, const KernelInfo& kernel,
                      std::vector<StatementCounts>& counts);
/// The time of one multiprocessor after [K]: the sum of its statements' costs.
std::int64_t sum_of_costs(const std::vector<StatementCounts>& statements);

// The counts of one kernel's launches, added up launch by launch.

/// A count that is a maximum over multiprocessors is taken of each launch: the maximum of sums is
/// not the sum of maxima.
class LaunchSums {
public:
  /// Refers to the machine; copies the kernel.
  LaunchSums(const KernelInfo& kernel, const MachineSpec& machine)
      : kernel_(kernel), machine_(machine), time_(kernel.statements.size()) {}

  /// Adds a launch. Takes what models have counted of it, and returns it with the counts after [K].
  /// Cost: linear in the kernel's code x the multiprocessors that executed it.
  ModelCounts add(const LaunchTally& launch, ModelCounts counted = {});
  /// The counts of all launches so far.
  Counts counts() const;
  void add_accesses(const std::vector<ir::Array>& arrays,
                    std::vector<AccessCounts>& accesses) const {
    count_accesses(sum_, kernel_, arrays, accesses);
  }
  const KernelInfo& kernel() const { return kernel_; }

private:
  std::int64_t add_slowest(const LaunchTally& launch);
  void add_statement_lines(Counts& counts) const;

  KernelInfo kernel_;
  const MachineSpec& machine_;
  std::int64_t launches_ = 0;
  LaunchTally sum_;
  ModelCounts models_;
  std::vector<std::int64_t>
      time_; ///< for each statement the time on each launch's slowest multiprocessor, summed
  std::vector<StatementCounts> statements_, slowest_; ///< those of the launch that is added
};

/// Removes times, for a machine whose units are not timed.
void forget_time(Counts& counts);

/// The time of counts on this machine: on an AGPU and an MMM what the model counts.
Cycles time_on(const MachineSpec& machine, Cycles time, const ModelCounts& models);

} // namespace memlane
