// A run's account of latency as lines of a table and as JSON.
#pragma once

#include "memlane/count/hiding.hpp"
#include "memlane/report/run_report.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace memlane {

/// None where the run did not come to its end: its counts are not those of a whole run.
std::optional<LatencyHiding> latency_hiding_of(const RunReport& report);

/// Three lines: whether latency was hidden, the four bounds, what would hide it.
std::string latency_text(const LatencyHiding& account, const RunReport& report);
/// null: none.
nlohmann::ordered_json latency_json(const std::optional<LatencyHiding>& account);
nlohmann::ordered_json latency_schema();

} // namespace memlane
