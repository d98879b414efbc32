// run_conflict_free with counts.
#pragma once

#include "memlane/count/counts.hpp"
#include "memlane/engine/conflict_free.hpp"

namespace memlane {

RunResult simulate_conflict_free(const ir::Program& program, const MachineSpec& machine,
                                 const RunOptions& options, const Sources& sources,
                                 const IsConflictFree& is_conflict_free);

} // namespace memlane
