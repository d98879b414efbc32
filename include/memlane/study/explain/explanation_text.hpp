// A run explained, and a run beside changed ones, as people and programs read them.
#pragma once

#include "memlane/show/run_report.hpp"
#include "memlane/study/explain/explanation.hpp"
#include "memlane/study/explain/tried_change.hpp"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace memlane {

/// The parts of the explanation: where the time went, the costliest line, the tight bound, what
/// would help.
std::vector<ExplainedPart> explained_parts(const sweep::Explanation& explanation);

/// The explanation, and a changed run beside its base, as parts of a result.
AddedPart explained_part(sweep::Explanation explanation);
AddedPart tried_part(sweep::TriedChange tried);
nlohmann::ordered_json explanation_json(const sweep::Explanation& explanation);
nlohmann::ordered_json tried_change_json(const sweep::TriedChange& tried);
/// The schema of a run's result with these parts.
nlohmann::ordered_json explained_run_schema();

} // namespace memlane
