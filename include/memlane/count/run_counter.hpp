// Adds up the tallies of a run's launches, and makes counts of them at its end.
#pragma once

#include "memlane/count/derive.hpp"
#include "memlane/count/execution_counters.hpp"
#include "memlane/count/mmm.hpp"
#include "memlane/engine/observer.hpp"
#include "memlane/engine/options.hpp"

#include <map>
#include <optional>

namespace memlane {

/// Observes a run and passes everything on to another observer.
class RunCounter final : public Observer, private ExecutionObserver {
public:
  /// Refers to all of them but the options, which say what is counted.
  RunCounter(const ir::Program& program, const MachineSpec& machine, const Sources& sources,
             const RunOptions& options, Observer& next);

  /// The run's outcome with its counts. Kernels and fns that were never launched or called have
  /// counts of 0.
  RunResult result(RunOutcome outcome) const;
  /// The counts need more memory than the run may have: it must stop.
  bool over_memory() const { return pram_ && pram_->over_memory(); }

  ExecutionObserver* executions() override {
    return mmm_ || pram_ || bsp_ ? this : next_.executions();
  }
  TimeObserver* times() override { return next_.times(); }
  ValueObserver* values() override { return next_.values(); }
  void run_begins() override;
  void concurrent_begins(std::int64_t stage) override;
  void concurrent_ends() override;
  void launch_begins(std::int64_t launch, const LaunchShape& shape,
                     std::string_view kernel) override;
  void launch_ends(std::int64_t launch, const LaunchTally& tally) override;
  void executed(const Execution& execution) override;
  void accessed(const WarpAccess& access) override;

private:
  void forget_run();
  void add_mmm(RunResult& result) const;

  const ir::Program& program_;
  const MachineSpec& machine_;
  Observer& next_;
  std::optional<PramCounter> pram_;
  std::optional<BspCounter> bsp_;
  std::map<const KernelInfo*, LaunchSums> kernels_;
  std::vector<LaunchCounts> listed_;
  std::optional<MmmCounter> mmm_; ///< MMMs only
  std::int64_t blocks_ = 0;       ///< blocks of the launch that has begun last
  bool in_concurrent_ = false;
  std::vector<FnCounts> fns_; ///< indexed as Program::fns
};

} // namespace memlane
