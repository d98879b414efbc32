// A chart as the JSON that a page holds.
#pragma once

#include "memlane/report/chart.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace memlane {

/// With what src/pages/page.js needs to draw it as the SVG does: domains, ticks, colours, markers,
/// extents of bars. `id`: of its figure.
nlohmann::ordered_json chart_json(const Chart& chart, std::string_view id);
/// Markers and dashes, which all charts share.
nlohmann::ordered_json markers_json();
nlohmann::ordered_json dashes_json();

} // namespace memlane
