// The entry points of the two engines: one run of a compiled program on a machine. `count/simulate`
// has them with their counts.
#pragma once

#include "memlane/engine/machine_run.hpp"
#include "memlane/engine/options.hpp"
#include "memlane/engine/outcome.hpp"
#include "memlane/ir/program.hpp"

#include <optional>

namespace memlane {

/// Whether the program can run on the machine at all: shared arrays on a unified machine, more
/// than this version executes. Errors name the array or construct and its place.
Status check_machine(const ir::Program& program, const MachineSpec& machine);

/// Bytes of arrays that a run takes of `limits.memory` before main begins; the greatest number if
/// they cannot be counted.
std::int64_t bytes_of_arrays(const ir::Program& program, const RunOptions& options);

/// Runs main on the reference engine, then verify. Deterministic in program, machine, inputs, seed.
RunOutcome run_reference(const ir::Program& program, const MachineSpec& machine,
                         const RunOptions& options, const Sources& sources, Observer& observer);

/// The same outcome and tallies from the fast engine, which executes many warps at a time and keeps
/// timing apart from data. Nothing where it leaves the run to the reference engine: with races
/// allowed; where a race cannot be excluded; where an error or a limit ends the run; where the
/// observer wants each step. The observer sees each attempt: see `run_begins`. `tile_lanes`:
/// threads of a block that are executed together, which changes nothing but how long it takes; 0:
/// as fits the processor's caches. `use`: set in either case.
std::optional<RunOutcome> run_fast(const ir::Program& program, const MachineSpec& machine,
                                   const RunOptions& options, const Sources& sources,
                                   Observer& observer, int tile_lanes = 0,
                                   EngineUse* use = nullptr);

/// Time and counts of a run without its data, for a program as ir::without_data leaves it: no array
/// has contents, and rounds of a loop that are known to repeat the one before are not executed, so
/// that the cost of a regular loop does not depend on how often it runs. Equal in time and counts
/// to the run of the whole program, if that ends without an error, and in steps except those that
/// data decides about; nothing is verified, and races and words that were never written are not
/// looked for. `limits.steps` bounds the instructions that are executed. Where the fast engine
/// gives up, the reference engine runs the program, with arrays.
RunOutcome run_timing(const ir::Program& program, const MachineSpec& machine,
                      const RunOptions& options, const Sources& sources, Observer& observer,
                      int tile_lanes = 0);

} // namespace memlane
