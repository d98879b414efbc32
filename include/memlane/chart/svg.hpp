// A chart's SVG elements within a page.
#pragma once

#include "memlane/chart/chart.hpp"

#include <string>
#include <string_view>

namespace memlane {

/// Two, for wide and for narrow pages: page.css shows one. Without title, caption and notes, which
/// the page shows as HTML, and without a size: they take their width from the page. `id` is unique
/// within the page.
std::string chart_elements(const Chart& chart, std::string_view id);

} // namespace memlane
