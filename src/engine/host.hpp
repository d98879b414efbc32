// Host code (main and verify): one lane that launches kernels and accesses memory at no cost.
#pragma once

#include "kernel_stream.hpp"
#include "machine_rules.hpp"

#include "memlane/engine/run.hpp"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace memlane {

/// "the arrays need … bytes, the limit is …". Requires a budget that has stopped for memory.
std::string memory_text(const Budget& budget);

/// How an engine runs launches.
struct Launcher {
  /// The most bytes of registers that a launch's threads hold at the same time. They count against
  /// `limits.memory` before the launch runs. INT64_MAX: too many to be counted.
  std::function<std::int64_t(const RunState& run, const ir::Function& kernel,
                             const LaunchShape& shape)>
      register_bytes;
  /// Runs one launch of a kernel: `number` of the run, from time `start` on. `formals`: values of
  /// the kernel's formals, in order.
  std::function<LaunchOutcome(const RunState& run, const ir::Function& kernel,
                              const LaunchShape& shape, std::vector<ir::Value> formals,
                              std::int64_t number, Cycles start)>
      run;
};

/// Bytes of `threads` threads' registers in the kernel; INT64_MAX if too many to be counted.
std::int64_t bytes_of_registers(const ir::Function& kernel, std::int64_t threads);

/// How host code is executed.
enum class HostRuns : std::uint8_t {
  as_lane, ///< interpreted, as a warp is
  as_code, ///< translated (host_code.hpp): the same results, many times as fast
};

/// A run whose launches are executed by `launcher`. Deterministic if the launcher is.
RunOutcome run_with(const Launcher& launcher, HostRuns how, const ir::Program& program,
                    const MachineSpec& machine, const RunOptions& options, const Sources& sources,
                    Observer& observer);

/// Runs host functions. Results and the reason of a stop are stored in `result`.
class Host {
public:
  Host(const RunState& run, const Launcher& launcher, HostRuns how, const RunOptions& options,
       Observer& observer, RunOutcome& result);

  /// Runs main to its end. False if the run has stopped.
  bool run_main();
  /// Runs verify with main's variables and sets the verdict.
  void run_verify();

private:
  enum class Phase { main, verify };

  bool run(const ir::Function& function, Lanes& lanes);
  bool run_as_lane(Lanes& lanes);
  bool run_as_code(const ir::Function& function, Lanes& lanes);
  bool fault(const Lanes& lanes);
  bool event(Lanes& lanes);
  bool load(Lanes& lanes, bool initial);
  bool store(Lanes& lanes);
  bool draw_number(Lanes& lanes);
  bool launch_event(Lanes& lanes);
  void begin_concurrent(std::size_t at);
  void end_concurrent();
  const KernelInfo& info_of(const ir::Function& kernel);
  bool launch(Lanes& lanes);
  std::optional<LaunchFault> kept_fault(const ir::Function& kernel);
  bool run_kernel(const ir::Function& kernel, const LaunchShape& shape,
                  std::vector<ir::Value> formals);
  bool stopped(Diagnostic error);
  bool stopped_at_launch(Diagnostics errors, Span launch);
  bool stopped_by(Stop why, std::int64_t launch, const std::string& kernel, Span at);

  RunState run_;
  const Launcher& launcher_;
  HostRuns how_;
  const RunOptions& options_;
  Observer& observer_;
  RunOutcome& result_;
  Phase phase_ = Phase::main;
  std::uint64_t draws_ = 0;                           ///< random numbers drawn so far
  std::map<const ir::Function*, KernelInfo> kernels_; ///< those launched
  /// PresentLaunch::written_together, by the place of the `concurrent` in main.
  std::map<std::size_t, std::vector<bool>> written_together_;
  std::map<std::int32_t, std::int64_t> kept_users_; ///< kept_fault
  std::optional<Lanes> main_;
};

} // namespace memlane
