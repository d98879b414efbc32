// A run's account of latency as lines of a table, JSON and cells of CSV.
#pragma once

#include "memlane/count/hiding.hpp"
#include "memlane/report/run_report.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>

namespace memlane {

/// None where the run did not come to its end: its counts are not those of a whole run.
std::optional<LatencyHiding> latency_hiding_of(const RunReport& report);

/// Three lines: whether latency was hidden, the four bounds, what would hide it.
std::string latency_text(const LatencyHiding& account, const RunReport& report);
/// null: none.
nlohmann::ordered_json latency_json(const std::optional<LatencyHiding>& account);
nlohmann::ordered_json latency_schema();
/// Calls `add` with every column's name and cell; the columns are the same for every run.
void add_latency_cells(const std::optional<LatencyHiding>& account,
                       const std::function<void(std::string_view, std::string_view)>& add);

} // namespace memlane
