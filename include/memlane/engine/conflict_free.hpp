// A run as it would be if some of its requests had no conflicts: what their extra stages cost.
#pragma once

#include "memlane/engine/run.hpp"
#include "memlane/engine/stream.hpp"

#include <functional>

namespace memlane {

/// Which requests take one stage, whatever their addresses.
using IsConflictFree = std::function<bool(const Request&)>;

/// Runs main on the reference engine; the chosen requests take one stage. They read and write the
/// same words as before.
RunOutcome run_conflict_free(const ir::Program& program, const MachineSpec& machine,
                             const RunOptions& options, const Sources& sources, Observer& observer,
                             const IsConflictFree& is_conflict_free);

} // namespace memlane
