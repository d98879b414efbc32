// The counts of a run as JSON.
#pragma once

#include "memlane/count/counts.hpp"

#include <nlohmann/json_fwd.hpp>

namespace memlane {

nlohmann::ordered_json counts_json(const RunResult& run, const Sources& sources);
nlohmann::ordered_json counts_schema();

} // namespace memlane
