// Pictures in pages: logarithmic axes, frame and figure.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// In user units of the SVG element; text is 12 of them high.
constexpr double picture_width = 460, picture_height = 320;
constexpr double margin_left = 66, margin_right = 14, margin_top = 14, margin_bottom = 48;

/// Values from `lo` to `hi` between two places of the picture.
struct LogAxis {
  double lo = 1, hi = 10;
  double from = 0, to = 1;

  double place(double value) const {
    return from + (to - from) * std::log(value / lo) / std::log(hi / lo);
  }
  bool holds(double value) const { return value >= lo && value <= hi; }
};

/// The values that an axis has to hold: positive numbers.
struct AxisRange {
  double least = INFINITY, greatest = 0;

  void hold(double value);
  /// With some room, so that no mark sits on the frame; between the sides of the picture.
  LogAxis horizontal() const;
  LogAxis vertical() const;
};

/// Powers of the base within the axis, thinned to seven at most.
std::vector<double> axis_marks(const LogAxis& axis, double base);
/// Powers of ten, or where these are few, 1, 2 and 5 times them; seven at most.
std::vector<double> decimal_marks(const LogAxis& axis);

/// A value beside an axis, with a line across the picture.
struct AxisMark {
  double at; ///< its place
  std::string text;
};
/// The frame, and the marks of both axes.
std::string frame_text(const std::vector<AxisMark>& horizontal,
                       const std::vector<AxisMark>& vertical);

/// A figure of a page around the content of its SVG element. `id` is unique within the page. All
/// texts are HTML.
struct Figure {
  std::string title, id, description, content, legend;
};
std::string figure_text(const Figure& figure);
/// A style of the page and its name, for the legend.
std::string legend_key(std::string_view style, std::string_view name);

} // namespace memlane
