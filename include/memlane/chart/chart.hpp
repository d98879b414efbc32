// Charts as plain data: panels of lines, points and bars over shared axes. Drawn as SVG here, and
// within a page by charts_page.hpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// Where a series' values come from: simulated; computed by a claim's formula where simulation
/// ends; measured on a GPU; printed in a paper.
enum class SeriesBasis : std::uint8_t { model, formula, measured, printed };
/// `model`, `formula`, `measured`, `printed`.
std::string_view name_of(SeriesBasis basis);

enum class Mark : std::uint8_t {
  line,   ///< joins its points in the order of x, and marks each
  points, ///< a marker each
  bars,   ///< bars stand on the x axis; side by side where series share an x
  curve,  ///< a line without markers: a formula between its points
};

/// Logarithmic axes have no place for 0, negative numbers and NaN: such points are not drawn, and
/// the chart says how many.
enum class AxisScale : std::uint8_t { linear, log2, log10, categories };

/// How an axis writes its values.
enum class AxisText : std::uint8_t {
  number,      ///< 2¹⁰ on log2 axes, 10⁶ on log10 axes, plain where all are short
  nanoseconds, ///< 20 ns, 5 µs
  bytes,       ///< 64 kB
  ratio,       ///< 3, 1/3
  percent,     ///< a ratio's distance from 1: +5 %, -5 %
};

struct ChartAxis {
  std::string name; ///< includes its unit: `n`, `time in units`, `latency l in units`
  AxisScale scale = AxisScale::linear;
  AxisText text = AxisText::number;
  std::vector<std::string> categories; ///< texts of a category axis: x is an index into them
  std::vector<double> also;            ///< values that the axis must show beside those of points
};

struct ChartPoint {
  double x = 0, y = 0;
  std::string text;    ///< its configuration: `sum on hmm-titan, n=1024, time 325`
  std::string command; ///< the command that repeats it; empty: there is none
  /// Of several values whose mean is y: a bar joins them. NaN: there is one.
  double least = NAN, greatest = NAN;

  bool has_spread() const { return least < greatest; }
};

/// Series of one name have one colour and one marker in all panels; the basis decides dashes and
/// whether markers are filled. So a model and a measurement of one thing share a name.
struct ChartSeries {
  std::string name;
  SeriesBasis basis = SeriesBasis::model;
  Mark mark = Mark::line;
  std::vector<ChartPoint> points; ///< need no order; a NaN as y interrupts a line
};

/// One of the small multiples.
struct ChartPanel {
  std::string title; ///< may be empty where there is one panel
  std::vector<ChartSeries> series;
};

/// A line to read a chart by, in all panels: y = factor * x^power from one x to another.
struct ChartGuide {
  std::string label;
  bool strong = false; ///< the line to look at; others are faint
  double factor = 1, power = 1;
  double from = 0, to = INFINITY;
};

enum class LegendPlace : std::uint8_t { top, bottom, none };

/// How a picture looks in a document of others. 108 units are an inch: a text of 12 has 8 points.
struct ChartLook {
  double width = 0, height = 0; ///< of the whole picture in units; 0: as large as is usual here
  LegendPlace legend = LegendPlace::top;
  bool bare = false; ///< without title, caption and notes: the document has its own
};
inline constexpr double chart_units_of_inch = 108;

struct Chart {
  std::string title;
  std::string summary; ///< one sentence for those who do not see it
  std::string caption; ///< the text below the chart; may be empty
  ChartAxis x, y;      ///< y has no categories
  std::vector<ChartPanel> panels;
  std::vector<ChartGuide> guides;
  ChartLook look = {};
  /// What LaTeX writes for some of its texts, by text: labels with formulas.
  std::map<std::string, std::string> latex = {};
};

/// A document of its own, ending with a line end: light ground, text as text, a title on each
/// point. Charts without points have axes and the sentence that nothing is there to draw. Cost:
/// O(points * log points); where points of a series would cover each other, one is drawn.
std::string chart_svg(const Chart& chart);
/// The same of several charts, below each other. Requires one.
std::string charts_svg(const std::vector<Chart>& charts);

} // namespace memlane
