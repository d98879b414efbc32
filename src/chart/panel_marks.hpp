// The marks of a panel as SVG, and what they share with the samples of the legend.
#pragma once

#include "memlane/chart/layout.hpp"

#include <string>
#include <string_view>

namespace memlane {

inline constexpr std::string_view chart_ink = "#1b1b1f"; ///< of texts and of error bars on bars

/// The path of a marker around a place, or a circle: an element that is open for a title.
std::string marker_start(std::size_t name, double x, double y, double radius, bool hollow);
std::string_view marker_end(std::size_t name);
/// Attributes of a group of marks in the colour of a name; pages give it another in the dark.
std::string colour_attributes(std::size_t name);

/// Lines, markers and bars of all series, and guides below them.
std::string marks_text(const Chart& chart, const ChartPanel& panel, const PanelFrame& frame,
                       const ChartAxes& axes);

} // namespace memlane
