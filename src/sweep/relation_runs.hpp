// The runs that relations are judged by: one program on several AGPUs.
#pragma once

#include "launch_schedules.hpp"

#include "memlane/sweep/relations.hpp"

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// An AGPU that differs from the asked one: multiprocessors, volatile.
using MachineVariant = std::pair<std::int64_t, bool>;

struct VariantRun {
  MachineSpec machine;
  RunResult result;
  ScheduleSums schedules;
};

/// Runs the code as it was bound to the asked machine, thus with that machine's k, p and M, and
/// keeps what the runs gave.
class RelationRuns {
public:
  /// Refers to both.
  RelationRuns(const RelationsRequest& request, const Sources& sources);

  /// Runs the variants that have not been run, side by side.
  void run(const std::vector<MachineVariant>& variants);
  /// Requires that it was run.
  const VariantRun& at(MachineVariant variant) const { return *runs_.at(variant); }
  const std::map<MachineVariant, std::unique_ptr<VariantRun>>& all() const { return runs_; }

private:
  const RelationsRequest& request_;
  const Sources& sources_;
  std::vector<std::int64_t> fewer_;
  std::map<MachineVariant, std::unique_ptr<VariantRun>> runs_;
};

} // namespace memlane::sweep
