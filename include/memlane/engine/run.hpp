// Runs: one launch on the reference machine, and the entry points of the two engines for a compiled
// program. `count/simulate` has them with their counts.
#pragma once

#include "memlane/engine/observer.hpp"
#include "memlane/engine/options.hpp"
#include "memlane/engine/outcome.hpp"
#include "memlane/engine/stream.hpp"
#include "memlane/ir/program.hpp"
#include "memlane/machine/spec.hpp"
#include "memlane/support/limits.hpp"

#include <functional>
#include <optional>
#include <span>

namespace memlane {

// The reference machine: one launch, time unit by time unit (configs/README.md sections 3 to 5).

struct LaunchOutcome {
  LaunchTally tally; ///< partial if stopped
  Stop stop = Stop::none;
  Diagnostics errors;
};

/// The tally of a launch that has executed nothing.
LaunchTally empty_tally(const MachineSpec& machine, const LaunchShape& shape);

/// Runs one launch to its end. `launch` is its number in the run, `start` the run's time at its
/// beginning: the observer and `limits.time` count from the start of the run. Requires a shape that
/// fits the machine. A machine with one memory unit serves every request with it, whichever unit
/// the request names. A request without an active thread is neither performed nor counted. The
/// observer may be null; it is told of a dispatch after it was performed. If the launch stops
/// early, the tally ends at that time, but contains all stages of requests that were dispatched.
LaunchOutcome run_launch(const MachineSpec& machine, const LaunchShape& shape, WarpStream& warps,
                         std::int64_t launch, Cycles start, const Limits& limits,
                         TimeObserver* observer = nullptr);

// The entry points of the two engines: one run of a compiled program on a machine. `count/simulate`
// has them with their counts.

/// Checks that the machine can run the program: a UMM has no shared arrays, for example. Errors
/// name the array or construct and its place.
Status check_machine(const ir::Program& program, const MachineSpec& machine);
/// An error for a limit of time units on a machine whose time is only known at the end of a run.
Status check_limits(const MachineSpec& machine, const Limits& limits);

/// Bytes of arrays that a run takes from `limits.memory` before main begins; INT64_MAX if they
/// cannot be computed.
std::int64_t bytes_of_arrays(const ir::Program& program, const RunOptions& options);

/// Runs main on the reference engine, then verify. Deterministic in program, machine, inputs, seed.
RunOutcome run_reference(const ir::Program& program, const MachineSpec& machine,
                         const RunOptions& options, const Sources& sources, Observer& observer);

/// Another machine that a run is timed on. It differs from the run's own in latencies alone, or in
/// an MMM's U and P: what is executed does not depend on them. Requires a static schedule of
/// blocks, and RunOptions without known_blocks and without a limit of time.
struct AlsoTimed {
  const MachineSpec* machine = nullptr;
  /// Is told of the run and its launches with their tallies there. The units' accounts have no
  /// bounds of latency (UnitAccount::latency_bound and what follows is 0).
  Observer* observer = nullptr;
  std::optional<Cycles> time = {}; ///< of the run there; none: this machine needs a run of its own
};

/// The same outcome and tallies from the fast engine, which executes many warps at a time and
/// computes timing separately from data. It returns nothing, and the reference engine must run the
/// program, if races are allowed, if it cannot exclude a race, if an error or a limit ends the run,
/// or if times or values are observed. The observer sees every attempt (`run_begins`).
/// `tile_lanes`: threads of a block that are executed together; no result depends on it; 0: as many
/// as suit the processor's caches. `use` is set in either case. `also`: each costs a timeline, and
/// all together the steps of a launch in memory; those that need too much have no time.
std::optional<RunOutcome> run_fast(const ir::Program& program, const MachineSpec& machine,
                                   const RunOptions& options, const Sources& sources,
                                   Observer& observer, int tile_lanes = 0, EngineUse* use = nullptr,
                                   std::span<AlsoTimed> also = {});

/// An empty one for RunOptions::known_blocks; it holds about so many bytes at most. Serves the fast
/// engine on the papers' machines with static schedule, where `executions` are not observed and
/// time has no limit.
std::shared_ptr<KnownBlocks> make_known_blocks(std::int64_t most_bytes);

/// Time and counts of a run without its data. Requires a program without data (ir::without_data).
/// Arrays have no contents. Iterations of a loop that are known to repeat the previous one are
/// extrapolated, so the cost of a regular loop does not depend on its number of iterations. Time
/// and counts equal those of the whole program if it ends without an error; so do steps, except
/// those that depend on data. Nothing is verified; races and reads of unwritten words are not
/// detected. `limits.steps` bounds the instructions that are executed. If the fast engine gives up,
/// the reference engine runs the program, with arrays. `also` as of run_fast.
RunOutcome run_timing(const ir::Program& program, const MachineSpec& machine,
                      const RunOptions& options, const Sources& sources, Observer& observer,
                      int tile_lanes = 0, std::span<AlsoTimed> also = {});

// A run as it would be if some of its requests had no conflicts: what their extra stages cost.

/// Which requests take no more stages than their words need, wherever they lie.
using IsConflictFree = std::function<bool(const Request&)>;

/// Runs main on the reference engine; the chosen requests take the stages that their words
/// need, in the first of the address groups that they access: blocks reuse none but those that they
/// access anyway. They read and write the same words as before.
RunOutcome run_conflict_free(const ir::Program& program, const MachineSpec& machine,
                             const RunOptions& options, const Sources& sources, Observer& observer,
                             const IsConflictFree& is_conflict_free);

} // namespace memlane
