#include "plot.hpp"

#include "axis.hpp"
#include "page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {
namespace {

struct PlotAxes {
  LogAxis x, y;
};

PlotAxes axes_of(const Plot& plot) {
  AxisRange x_range, y_range;
  for (const PlotPoint& point : plot.points) {
    x_range.hold(point.x);
    y_range.hold(point.y);
  }
  for (double x : plot.x_also) x_range.hold(x);
  for (double y : plot.y_also) y_range.hold(y);
  LogAxis y = y_range.vertical();
  if (!plot.y_marks.empty()) { // chosen for a narrow range
    const double room = std::pow(y_range.greatest / y_range.least, 0.15);
    y.lo = y_range.least / room;
    y.hi = y_range.greatest * room;
  }
  return {x_range.horizontal(), y};
}

std::string plot_frame(const Plot& plot, const PlotAxes& axes) {
  std::vector<AxisMark> below, beside;
  for (double mark : decimal_marks(axes.x))
    below.push_back({axes.x.place(mark), plot.x_text(mark)});
  for (double mark : plot.y_marks.empty() ? decimal_marks(axes.y) : plot.y_marks)
    beside.push_back({axes.y.place(mark), plot.y_text(mark)});
  return frame_text(below, beside) +
         fmt::format("<text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}"
                     "</text>\n<text class=\"name\" x=\"{}\" y=\"{}\">{}</text>\n",
                     (margin_left + picture_width - margin_right) / 2, picture_height - 10,
                     escaped(plot.x_name), margin_left, margin_top - 3, escaped(plot.y_name));
}

std::string plot_line(const PlotLine& line, const PlotAxes& axes) {
  const double from = std::max(axes.x.lo, line.from), to = std::min(axes.x.hi, line.to);
  if (!(from < to)) return "";
  const auto height = [&](double x) { return axes.y.place(line.factor * std::pow(x, line.power)); };
  const double x0 = axes.x.place(from), x1 = axes.x.place(to), y0 = height(from), y1 = height(to);
  double begin = 0, end = 1; // the part within the frame; y grows downwards there
  if (y0 != y1) {
    const double at_bottom = (axes.y.from - y0) / (y1 - y0), at_top = (axes.y.to - y0) / (y1 - y0);
    begin = std::max(begin, std::min(at_bottom, at_top));
    end = std::min(end, std::max(at_bottom, at_top));
  } else if (y0 < axes.y.to || y0 > axes.y.from) {
    return "";
  }
  if (!(begin < end)) return "";
  return fmt::format("<polyline class=\"guide{}\" points=\"{:.1f},{:.1f} {:.1f},{:.1f}\"><title>{}"
                     "</title></polyline>\n",
                     line.strong ? " strong" : "", x0 + begin * (x1 - x0), y0 + begin * (y1 - y0),
                     x0 + end * (x1 - x0), y0 + end * (y1 - y0), escaped(line.label));
}

/// Each style has a shape too, for those who do not tell colours apart.
std::string plot_point(const PlotPoint& point, const PlotAxes& axes) {
  const double x = axes.x.place(point.x), y = axes.y.place(point.y);
  std::string shape = fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\">", x, y);
  std::string_view end = "</circle>";
  if (point.style != "measured") {
    const bool square = point.style == "hand-written";
    shape = fmt::format("<path d=\"M{:.1f},{:.1f}{}\">", x, y,
                        square ? "m-3.4,-3.4h6.8v6.8h-6.8z" : "m0,-4.4l4.2,7.2h-8.4z");
    end = "</path>";
  }
  return fmt::format("<g class=\"dot {}\">{}<title>{}</title>{}</g>\n", point.style, shape,
                     escaped(point.text), end);
}

} // namespace

std::string render_plot(const Plot& plot, std::size_t number) {
  if (plot.points.empty()) return "";
  const PlotAxes axes = axes_of(plot);
  std::string marks, legend;
  for (const PlotLine& line : plot.lines) marks += plot_line(line, axes);
  for (const PlotPoint& point : plot.points) marks += plot_point(point, axes);
  for (const auto& [style, name] : plot.legend) legend += legend_key(style, name);
  for (const PlotLine& line : plot.lines)
    if (!line.label.empty()) legend += legend_key(line.strong ? "solid" : "dashed", line.label);
  return figure_text({escaped(plot.title), fmt::format("plot{}", number), escaped(plot.summary),
                      plot_frame(plot, axes) + marks, legend});
}

} // namespace memlane
