// Runs with their counts: the entry points of engine/run.hpp, with counts derived from the tallies.
#pragma once

#include "memlane/count/counts.hpp"
#include "memlane/engine/run.hpp"

#include <optional>

namespace memlane {

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

/// run_timing with counts. Requires a program without its data (ir::without_data).
RunResult simulate_timing(const ir::Program& program, const MachineSpec& machine,
                          const RunOptions& options, const Sources& sources, int tile_lanes = 0,
                          Observer* observer = nullptr);

/// run_conflict_free with counts.
RunResult simulate_conflict_free(const ir::Program& program, const MachineSpec& machine,
                                 const RunOptions& options, const Sources& sources,
                                 const IsConflictFree& is_conflict_free);

} // namespace memlane
