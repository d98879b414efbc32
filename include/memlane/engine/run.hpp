// The entry points of the two engines: one run of a compiled program on a machine. `count/simulate`
// has them with their counts.
#pragma once

#include "memlane/engine/machine_run.hpp"
#include "memlane/engine/options.hpp"
#include "memlane/engine/outcome.hpp"
#include "memlane/ir/program.hpp"

#include <optional>

namespace memlane {

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

/// The same outcome and tallies from the fast engine, which executes many warps at a time and
/// computes timing separately from data. It returns nothing, and the reference engine must run the
/// program, if races are allowed, if it cannot exclude a race, if an error or a limit ends the run,
/// or if the observer wants the steps of warps. The observer sees every attempt (`run_begins`).
/// `tile_lanes`: threads of a block that are executed together; no result depends on it; 0: as many
/// as suit the processor's caches. `use` is set in either case.
std::optional<RunOutcome> run_fast(const ir::Program& program, const MachineSpec& machine,
                                   const RunOptions& options, const Sources& sources,
                                   Observer& observer, int tile_lanes = 0,
                                   EngineUse* use = nullptr);

/// Time and counts of a run without its data. Requires a program without data (ir::without_data).
/// Arrays have no contents. Iterations of a loop that are known to repeat the previous one are
/// extrapolated, so the cost of a regular loop does not depend on its number of iterations. Time
/// and counts equal those of the whole program if it ends without an error; so do steps, except
/// those that depend on data. Nothing is verified; races and reads of unwritten words are not
/// detected. `limits.steps` bounds the instructions that are executed. If the fast engine gives up,
/// the reference engine runs the program, with arrays.
RunOutcome run_timing(const ir::Program& program, const MachineSpec& machine,
                      const RunOptions& options, const Sources& sources, Observer& observer,
                      int tile_lanes = 0);

} // namespace memlane
