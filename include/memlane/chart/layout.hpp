// Where the parts of a chart are, in user units of its SVG element; texts are 12 of them high.
#pragma once

#include "memlane/chart/scale.hpp"
#include "memlane/chart/series_style.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memlane {

inline constexpr double chart_text_size = 12, chart_title_size = 15;

/// A line of text that begins at a place.
struct PlacedText {
  double x = 0, y = 0;
  std::string text;
};
struct PlacedEntry {
  double x = 0, y = 0; ///< the start of the text's baseline; the sample is left of it
  LegendEntry entry;
};
struct PlacedGuide {
  double x = 0, y = 0;
  const ChartGuide* guide = nullptr;
};
inline constexpr double legend_sample = 30; ///< length of the line in a legend

/// The frame of a panel. Only the frames at the left and at the bottom have texts at their ticks.
struct PanelFrame {
  double left = 0, top = 0, width = 0, height = 0;
  bool x_texts = false, y_texts = false;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

/// What all panels share.
struct ChartAxes {
  AxisSpan x, y;
  std::vector<AxisTick> x_ticks, y_ticks;
};

/// How many points and curves have values without a place on the axes, in a sentence; empty: all
/// are drawn whole.
std::string sentence_about_undrawn(const Chart& chart);

/// Where a chart is shown: a document holds its title, caption and what is not drawn; a page shows
/// these itself. On a narrow page, panels are below each other.
enum class ChartPlace : std::uint8_t { document, page, narrow_page };

struct ChartLayout {
  double width = 0, height = 0;
  ChartAxes axes;
  bool slanted = false; ///< the texts of the x axis
  std::vector<PlacedText> title, notes, panel_titles;
  PlacedText x_name, y_name; ///< the x name is centred
  std::vector<PlacedEntry> legend;
  std::vector<PlacedGuide> guides; ///< the legend's guides
  std::vector<PanelFrame> frames;  ///< one for each panel
};

ChartLayout layout_of(const Chart& chart, ChartPlace place);

} // namespace memlane
