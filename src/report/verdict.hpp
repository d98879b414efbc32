// The latency-hiding verdict of a run as lines of a table, JSON and cells of CSV.
#pragma once

#include "memlane/count/hiding.hpp"
#include "memlane/report/run_report.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>

namespace memlane {

/// None where the run did not come to its end: its counts are not those of a whole run.
std::optional<LatencyHiding> verdict_of(const RunReport& report);

/// Three lines: the conditions, the four bounds, what would hide the latency.
std::string verdict_text(const LatencyHiding& verdict, const RunReport& report);
nlohmann::ordered_json verdict_json(const std::optional<LatencyHiding>& verdict);
nlohmann::ordered_json verdict_schema();
/// Calls `add` with every column's name and cell; the columns are the same for every run.
void add_verdict(const std::optional<LatencyHiding>& verdict,
                 const std::function<void(std::string_view, std::string_view)>& add);

} // namespace memlane
