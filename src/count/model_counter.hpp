// Models that count from what warps report, execution by execution.
#pragma once

#include "memlane/count/counts.hpp"
#include "memlane/engine/observer.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/support/diagnostic.hpp"

#include <memory>

namespace memlane {

/// Observes the launches of a run for one model.
class ModelCounter : public ExecutionObserver {
public:
  virtual void launch_begins(std::int64_t launch, const LaunchShape& shape) = 0;
  /// Sets the counts of no launch.
  virtual void set_none(ModelCounts& counts) const = 0;
  /// Sets those of the launch that has just ended.
  virtual void set_launch(const LaunchTally& tally, ModelCounts& counts) = 0;
  /// Completes the result of a run, which has the sums over its launches.
  virtual void finish(RunResult&) const {}
  /// It needs more memory than it may have: the run must stop.
  virtual bool over_memory() const { return false; }
};

/// The steps, work and class of a PRAM. It refers to the sources.
std::unique_ptr<ModelCounter> pram_counter(const MachineSpec& machine, const Sources& sources,
                                           bool races_possible, std::int64_t memory);
/// The operators and words of BSP on at least one multiprocessor.
std::unique_ptr<ModelCounter> bsp_counter(std::int64_t multiprocessors);
/// The blocks of a run on an MMM. It refers to the machine.
std::unique_ptr<ModelCounter> mmm_counter(const MachineSpec& machine);

} // namespace memlane
