// Launches that are executed once and timed on several machines (AlsoTimed).
#pragma once

#include "launch_run.hpp"

#include <span>
#include <string_view>

namespace memlane::fast {

/// Tells the observers of all machines what does not depend on time, and the own one all else. All
/// observe executions, or none does.
class SharedObserver final : public Observer, private ExecutionObserver {
public:
  SharedObserver(Observer& own, std::span<AlsoTimed> also) : own_(own), also_(also) {}

  ExecutionObserver* executions() override {
    return also_.empty() || !own_.executions() ? own_.executions() : this;
  }
  TimeObserver* times() override { return own_.times(); }
  ValueObserver* values() override { return own_.values(); }
  void run_begins() override;
  void concurrent_begins(std::int64_t stage) override;
  void concurrent_ends() override;
  void launch_begins(std::int64_t launch, const LaunchShape& shape,
                     std::string_view kernel) override;
  void launch_ends(std::int64_t launch, const LaunchTally& tally) override {
    own_.launch_ends(launch, tally);
  }

private:
  void executed(const Execution& execution) override;
  void accessed(const WarpAccess& access) override;

  Observer& own_;
  std::span<AlsoTimed> also_;
};

/// Whether no count of a run on the machine needs times of launches.
inline bool is_untimed(const MachineSpec& machine) {
  return !is_timed(machine.model) && reference::deals_statically(machine);
}

/// run_timeline on the run's machine; then, of the same blocks, on those of FastRun::also, into
/// LaunchRun::elsewhere. On an AGPU and an MMM no blocks are timed. False, too, if these blocks
/// need too much memory (FastRun::unshared).
bool run_timelines(LaunchRun& launch, BlockSource& blocks, const TakeBlock& take, Cycles limit,
                   LaunchTally& tally);

/// Delivers LaunchRun::elsewhere, once the launch has its own counts: `number` of the run.
void tell_others(std::span<AlsoTimed> also, std::vector<LaunchTally>& elsewhere,
                 const LaunchTally& own, std::int64_t stage, std::int64_t number);

} // namespace memlane::fast
