// A run with its counts: the entry points of the engines (engine/run.hpp), each with the count of
// what it delivers.
#pragma once

#include "memlane/count/counts.hpp"
#include "memlane/engine/run.hpp"

#include <optional>

namespace memlane {

/// run_reference.
RunResult simulate(const ir::Program& program, const MachineSpec& machine,
                   const RunOptions& options, const Sources& sources, Observer& observer);

/// run_fast.
std::optional<RunResult> try_fast(const ir::Program& program, const MachineSpec& machine,
                                  const RunOptions& options, const Sources& sources,
                                  int tile_lanes = 0, EngineUse* use = nullptr);

/// run_fast, else run_reference.
RunResult simulate_fast(const ir::Program& program, const MachineSpec& machine,
                        const RunOptions& options, const Sources& sources);

/// run_timing, for a program as ir::without_data leaves it.
RunResult simulate_timing(const ir::Program& program, const MachineSpec& machine,
                          const RunOptions& options, const Sources& sources, int tile_lanes = 0);

} // namespace memlane
