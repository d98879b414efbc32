// Scattered points over two logarithmic axes, with lines to read them by.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane {

struct PlotPoint {
  double x = 0, y = 0;    ///< positive
  std::string_view style; ///< a class of the page: measured, hand-written, cub; its own shape each
  std::string text;       ///< shown beside the pointer
};

/// y = factor * x^power between two x, cut to the frame: straight in logarithms.
struct PlotLine {
  std::string label;
  bool strong = false; ///< the line to look at; others are dashed
  double factor = 1, power = 1;
  double from = 0, to = INFINITY;
};

struct Plot {
  std::string title;
  std::string summary; ///< what it shows, for those who do not see it
  std::string x_name, y_name;
  std::string (*x_text)(double) = nullptr; ///< of a mark
  std::string (*y_text)(double) = nullptr;
  std::vector<PlotPoint> points;
  std::vector<PlotLine> lines;
  std::vector<std::pair<std::string_view, std::string>> legend; ///< style and name
  std::vector<double> x_also, y_also; ///< positive values that the axes must hold
  std::vector<double> y_marks;        ///< empty: decimal_marks
};

/// An SVG element in a figure; empty where there is no point. `number` is unique within the page.
std::string render_plot(const Plot& plot, std::size_t number);

} // namespace memlane
