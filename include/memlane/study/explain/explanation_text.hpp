// A run beside changed ones, as people and programs read it.
#pragma once

#include "memlane/show/run_report.hpp"
#include "memlane/study/explain/explanation.hpp"
#include "memlane/study/explain/tried_change.hpp"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace memlane {

/// A changed run beside its base, as a part of a result.
AddedPart tried_part(sweep::TriedChange tried);
nlohmann::ordered_json tried_change_json(const sweep::TriedChange& tried);
/// The schema of a run's result with an explanation and changed runs.
nlohmann::ordered_json explained_run_schema();

} // namespace memlane
