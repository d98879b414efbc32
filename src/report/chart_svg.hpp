// A chart's SVG element within a page.
#pragma once

#include "memlane/report/chart.hpp"

#include <string>
#include <string_view>

namespace memlane {

/// Without title, caption and notes, which the page shows as HTML, and without a size: it takes its
/// width from the page. `id` is unique within the page.
std::string chart_element(const Chart& chart, std::string_view id);
/// The summary, and what is not drawn.
std::string description_of(const Chart& chart);

} // namespace memlane
