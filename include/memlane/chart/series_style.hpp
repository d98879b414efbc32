// How series look: a colour and a marker for each name, dashes and filling for each basis.
#pragma once

#include "memlane/chart/chart.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane {

/// Colours that colour-blind readers tell apart (Okabe and Ito), on a light and on a dark ground.
struct SeriesColour {
  std::string_view light, dark;
};
inline constexpr std::array<SeriesColour, 7> series_colours = {{{"#0072b2", "#56b4e9"},
                                                                {"#d55e00", "#f58a3c"},
                                                                {"#009e73", "#3ccba2"},
                                                                {"#cc79a7", "#e3a5c8"},
                                                                {"#e69f00", "#f0e442"},
                                                                {"#000000", "#ffffff"},
                                                                {"#4a9bc7", "#9fd3f5"}}};

/// Corners around the origin, for a marker that looks as large as a circle of radius 1; y down.
/// Empty: that circle.
using Marker = std::vector<std::pair<double, double>>;
const std::vector<Marker>& markers();

/// The distinct names of a chart's series, in the order in which they first occur.
std::vector<std::string> series_names(const Chart& chart);
/// As SVG and CSS take them: `6 4`; empty: a solid line.
std::string_view dashes_of(SeriesBasis basis);
/// Measured and printed values have hollow markers.
bool is_hollow(SeriesBasis basis);

/// What a legend explains: each name with each basis, once.
struct LegendEntry {
  std::size_t name = 0; ///< index into series_names
  SeriesBasis basis = SeriesBasis::model;
  Mark mark = Mark::line;
  std::string text;       ///< the name; with its basis where the chart has several
  std::string equal_to;   ///< the text of the first entry whose line lies on this one; mostly none
  bool is_hidden = false; ///< a later line lies on this one
};
std::vector<LegendEntry> legend_of(const Chart& chart);

} // namespace memlane
