// Runs with their counts: the entry points of engine/run.hpp, and the observer that adds up the
// tallies of a run's launches and makes counts of them at its end.
#pragma once

#include "memlane/count/derive.hpp"
#include "memlane/engine/run.hpp"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace memlane {

class ModelCounter;

/// Observes a run and passes everything on to another observer.
class RunCounter final : public Observer, private ExecutionObserver {
public:
  /// Refers to all of them. The machine and the options say which models count the run.
  RunCounter(const ir::Program& program, const MachineSpec& machine, const Sources& sources,
             const RunOptions& options, Observer& next);
  ~RunCounter() override;

  /// The run's outcome with its counts. Kernels and fns that were never launched or called have
  /// counts of 0.
  RunResult result(RunOutcome outcome) const;
  /// The counts need more memory than the run may have: it must stop.
  bool over_memory() const;

  ExecutionObserver* executions() override { return counters_.empty() ? next_.executions() : this; }
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

  const ir::Program& program_;
  const MachineSpec& machine_;
  const Sources& sources_;
  const RunOptions& options_;
  Observer& next_;
  std::vector<std::unique_ptr<ModelCounter>> counters_; ///< of the models that count this run
  std::map<const KernelInfo*, LaunchSums> kernels_;
  std::vector<LaunchCounts> listed_;
  std::int64_t blocks_ = 0; ///< blocks of the launch that has begun last
  bool in_concurrent_ = false;
  std::vector<FnCounts> fns_; ///< indexed as Program::fns
};

/// run_reference with counts.
RunResult simulate(const ir::Program& program, const MachineSpec& machine,
                   const RunOptions& options, const Sources& sources, Observer& observer);

/// run_fast with counts. `observer` may be null, here and below.
std::optional<RunResult> try_fast(const ir::Program& program, const MachineSpec& machine,
                                  const RunOptions& options, const Sources& sources,
                                  int tile_lanes = 0, EngineUse* use = nullptr,
                                  Observer* observer = nullptr);

/// run_fast with counts; run_reference if the fast engine leaves the run to it.
RunResult simulate_fast(const ir::Program& program, const MachineSpec& machine,
                        const RunOptions& options, const Sources& sources,
                        Observer* observer = nullptr);

/// Whether runs of a program on the two machines may share an execution: they differ at most in
/// latencies, or in what an MMM's moved words cost and its processors.
bool differ_in_latency(const MachineSpec& a, const MachineSpec& b);

/// simulate_fast (or simulate_timing if options.timing_only) on each of the machines, which differ
/// in latencies alone, from one execution. The first has a result; another has none if it needs a
/// run of its own. The counts of all but the first have no bounds of latency: latency_hiding says
/// nothing of them.
std::vector<std::optional<RunResult>> simulate_on_all(const ir::Program& program,
                                                      std::span<const MachineSpec* const> machines,
                                                      const RunOptions& options,
                                                      const Sources& sources);

/// run_timing with counts. Requires a program without its data (ir::without_data).
RunResult simulate_timing(const ir::Program& program, const MachineSpec& machine,
                          const RunOptions& options, const Sources& sources, int tile_lanes = 0,
                          Observer* observer = nullptr);

/// run_conflict_free with counts.
RunResult simulate_conflict_free(const ir::Program& program, const MachineSpec& machine,
                                 const RunOptions& options, const Sources& sources,
                                 const IsConflictFree& is_conflict_free);

} // namespace memlane
