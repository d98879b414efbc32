// The marks of one panel as SVG.
#pragma once

#include "chart_layout.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memlane {

/// A point of a series and its place in the picture.
struct PlacedPoint {
  double x = 0, y = 0;
  const ChartPoint* point = nullptr;
};

/// Bars of a panel, side by side where they share an x; as shares of the x axis.
class BarPlaces {
public:
  BarPlaces(const Chart& chart, const ChartPanel& panel, const ChartAxes& axes);
  /// Of the bar at `x` of a series, by its number among those with bars: from and to.
  std::pair<double, double> extent(std::size_t series, double x) const;

private:
  const ChartAxes* axes_;
  std::size_t series_ = 0; ///< with bars
  double slot_ = 1;        ///< from a group of bars to the next
};

/// The parts of a guide within the axes, as values: straight pieces.
std::vector<std::vector<std::pair<double, double>>> guide_lines(const ChartGuide& guide,
                                                                const ChartAxes& axes);

/// What a point shows beside the pointer, without its command.
std::string hover_text(const Chart& chart, const ChartSeries& series, const ChartPoint& point);

/// The path of a marker around a place, or a circle: an element that is open for a title.
std::string marker_start(std::size_t name, double x, double y, double radius, bool hollow);
std::string_view marker_end(std::size_t name);
/// Attributes of a group of marks in the colour of a name; pages give it another in the dark.
std::string colour_attributes(std::size_t name);

/// Lines, markers and bars of all series, and guides below them.
std::string marks_text(const Chart& chart, const ChartPanel& panel, const PanelFrame& frame,
                       const ChartAxes& axes);

} // namespace memlane
