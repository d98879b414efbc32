// Logarithmic axes of pictures in pages.
#pragma once

#include <cmath>
#include <string>
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

/// From the least to the greatest value, with some room so that no mark sits on the frame. Requires
/// positive numbers.
LogAxis axis_of(double least, double greatest, double from, double to);

/// Powers of the base within the axis, thinned to seven at most.
std::vector<double> axis_marks(const LogAxis& axis, double base);
/// Powers of ten, or where these are few, 1, 2 and 5 times them; seven at most.
std::vector<double> decimal_marks(const LogAxis& axis);

} // namespace memlane
