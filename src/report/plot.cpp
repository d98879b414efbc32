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
  double least_x = INFINITY, most_x = 0, least_y = INFINITY, most_y = 0;
  const auto hold_y = [&](double y) {
    least_y = std::min(least_y, y);
    most_y = std::max(most_y, y);
  };
  for (const PlotPoint& point : plot.points) {
    least_x = std::min(least_x, point.x);
    most_x = std::max(most_x, point.x);
    hold_y(point.y);
  }
  for (double x : plot.x_also) {
    least_x = std::min(least_x, x);
    most_x = std::max(most_x, x);
  }
  for (double y : plot.y_also) hold_y(y);
  LogAxis y = axis_of(least_y, most_y, picture_height - margin_bottom, margin_top);
  if (!plot.y_marks.empty()) { // chosen for a narrow range
    const double room = std::pow(most_y / least_y, 0.15);
    y.lo = least_y / room;
    y.hi = most_y * room;
  }
  return {axis_of(least_x, most_x, margin_left, picture_width - margin_right), y};
}

std::string plot_frame(const Plot& plot, const PlotAxes& axes) {
  constexpr double right = picture_width - margin_right, bottom = picture_height - margin_bottom;
  std::string text =
      fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                  margin_left, margin_top, right - margin_left, bottom - margin_top);
  for (double mark : decimal_marks(axes.x))
    text += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>"
                        "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>\n",
                        axes.x.place(mark), margin_top, bottom, bottom + 16,
                        escaped(plot.x_text(mark)));
  const std::vector<double> marks = plot.y_marks.empty() ? decimal_marks(axes.y) : plot.y_marks;
  for (double mark : marks)
    text += fmt::format("<line class=\"grid\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" x1=\"{1}\" x2=\"{2}\"/>"
                        "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
                        axes.y.place(mark), margin_left, right, margin_left - 6,
                        axes.y.place(mark) + 4, escaped(plot.y_text(mark)));
  return text + fmt::format("<text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}"
                            "</text>\n<text class=\"name\" x=\"{}\" y=\"{}\">{}</text>\n",
                            (margin_left + right) / 2, picture_height - 10, escaped(plot.x_name),
                            margin_left, margin_top - 3, escaped(plot.y_name));
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
  for (const auto& [style, name] : plot.legend)
    legend += fmt::format("<span class=\"key {}\">{}</span> ", style, escaped(name));
  for (const PlotLine& line : plot.lines) {
    if (line.label.empty()) continue;
    legend += fmt::format("<span class=\"key {}\">{}</span> ", line.strong ? "solid" : "dashed",
                          escaped(line.label));
  }
  return fmt::format("<figure>\n<figcaption>{0}</figcaption>\n<svg viewBox=\"0 0 {1} {2}\" "
                     "role=\"img\" aria-labelledby=\"p{3} q{3}\">\n<title id=\"p{3}\">{0}</title>\n"
                     "<desc id=\"q{3}\">{4}</desc>\n{5}{6}</svg>\n<p class=\"legend\">{7}</p>\n"
                     "</figure>\n",
                     escaped(plot.title), picture_width, picture_height, number,
                     escaped(plot.summary), plot_frame(plot, axes), marks, legend);
}

} // namespace memlane
