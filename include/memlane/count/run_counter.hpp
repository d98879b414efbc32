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
class RunCounter final : public Observer {
public:
  /// Refers to all of them but the options, which say what is counted.
  RunCounter(const ir::Program& program, const MachineSpec& machine, const Sources& sources,
             const RunOptions& options, Observer& next);

  /// The run's outcome with its counts. Kernels and fns that were never launched or called have
  /// counts of 0.
  RunResult result(RunOutcome outcome) const;
  /// The counts need more memory than the run may have: it must stop.
  bool over_memory() const { return pram_ && pram_->over_memory(); }

  bool wants_steps() const override { return next_.wants_steps(); }
  bool wants_executions() const override {
    return mmm_ || pram_ || bsp_ || next_.wants_executions();
  }
  bool wants_values() const override { return next_.wants_values(); }
  void run_begins() override;
  void concurrent_begins(std::int64_t stage) override;
  void concurrent_ends() override;
  void launch_begins(std::int64_t launch, const LaunchShape& shape,
                     std::string_view kernel) override;
  void launch_ends(std::int64_t launch, const LaunchTally& tally) override;
  void executed(const Execution& execution) override;
  void accessed(const WarpAccess& access) override;
  void dispatched(const Dispatch& dispatch) override { next_.dispatched(dispatch); }
  void computed(std::int64_t launch, WarpRef warp, std::int64_t count, Cycles until) override {
    next_.computed(launch, warp, count, until);
  }
  void arrived(std::int64_t launch, WarpRef warp) override { next_.arrived(launch, warp); }
  void released(std::int64_t launch, std::int64_t block) override { next_.released(launch, block); }
  void time_advances(Cycles now) override { next_.time_advances(now); }
  void block_starts(const BlockStart& start) override { next_.block_starts(start); }
  void issued(std::int64_t launch, WarpRef warp, const Request& request) override {
    next_.issued(launch, warp, request);
  }
  void ended(std::int64_t launch, WarpRef warp) override { next_.ended(launch, warp); }
  void block_ends(std::int64_t launch, std::int64_t block) override {
    next_.block_ends(launch, block);
  }
  void memory_made(std::span<const ArrayView> arrays) override { next_.memory_made(arrays); }
  void block_memory_made(std::int64_t block, std::span<const ArrayView> arrays) override {
    next_.block_memory_made(block, arrays);
  }
  void transferred(WarpRef warp, std::int32_t array, std::span<const LaneValue> lanes) override {
    next_.transferred(warp, array, lanes);
  }
  void before_step(const WarpRegisters& registers) override { next_.before_step(registers); }
  void host_wrote(std::int32_t array, std::int64_t element, ir::Value value) override {
    next_.host_wrote(array, element, value);
  }

private:
  void forget_run();
  void add_mmm(RunResult& result) const;

  const ir::Program& program_;
  const MachineSpec& machine_;
  const Sources& sources_;
  Observer& next_;
  std::optional<PramCounter> pram_;
  std::optional<BspCounter> bsp_;
  std::map<const ir::Function*, LaunchSums> kernels_;
  std::vector<LaunchCounts> listed_;
  std::optional<MmmCounter> mmm_; ///< MMMs only
  std::int64_t blocks_ = 0;       ///< blocks of the launch that has begun last
  bool in_concurrent_ = false;
  std::vector<FnCounts> fns_; ///< indexed as Program::fns
};

} // namespace memlane
