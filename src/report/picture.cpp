#include "axis.hpp"
#include "gpu_words.hpp"
#include "page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memlane {
namespace {

std::string axes_text(const LogAxis& x, const LogAxis& y) {
  std::string text =
      fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                  margin_left, margin_top, picture_width - margin_left - margin_right,
                  picture_height - margin_top - margin_bottom);
  for (double mark : axis_marks(x, 2)) {
    const double at = x.place(mark);
    text += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" "
                        "y2=\"{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
                        "text-anchor=\"middle\">{4}</text>\n",
                        at, margin_top, picture_height - margin_bottom,
                        picture_height - margin_bottom + 16,
                        mark < 1e6 ? short_number(mark) : fmt::format("2^{:.0f}", std::log2(mark)));
  }
  for (double mark : decimal_marks(y)) {
    const double at = y.place(mark);
    text += fmt::format("<line class=\"grid\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" x1=\"{1}\" "
                        "x2=\"{2}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
                        "text-anchor=\"end\">{5}</text>\n",
                        at, margin_left, picture_width - margin_right, margin_left - 6, at + 4,
                        short_time(mark));
  }
  return text + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">n</text>\n",
                            (margin_left + picture_width - margin_right) / 2, picture_height - 10);
}

std::string line_text(const PictureLine& line, const LogAxis& x, const LogAxis& y) {
  std::string places, dots;
  for (const auto& [size, ns] : line.points) {
    const double at_x = x.place(size), at_y = y.place(ns);
    places += fmt::format("{}{:.1f},{:.1f}", places.empty() ? "" : " ", at_x, at_y);
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"><title>{}: n={}, {}</title>"
                        "</circle>",
                        at_x, at_y, escaped(line.name), short_number(size), short_time(ns));
  }
  return fmt::format("<g class=\"{}\"><polyline points=\"{}\"/>{}</g>\n", line.style, places, dots);
}

} // namespace

std::string render_picture(const Picture& picture, std::size_t number) {
  double least_x = INFINITY, most_x = 0, least_y = INFINITY, most_y = 0;
  for (const PictureLine& line : picture.lines) {
    for (const auto& [size, ns] : line.points) {
      least_x = std::min(least_x, size);
      most_x = std::max(most_x, size);
      least_y = std::min(least_y, ns);
      most_y = std::max(most_y, ns);
    }
  }
  if (most_x == 0) return "";
  const LogAxis x = axis_of(least_x, most_x, margin_left, picture_width - margin_right);
  const LogAxis y = axis_of(least_y, most_y, picture_height - margin_bottom, margin_top);
  std::string names, legend, lines;
  for (const PictureLine& line : picture.lines) {
    if (line.points.empty()) continue;
    names += (names.empty() ? "" : ", ") + escaped(line.name);
    legend += fmt::format("<span class=\"key {}\">{}</span> ", line.style, escaped(line.name));
    lines += line_text(line, x, y);
  }
  return fmt::format(
      "<figure>\n<figcaption>{0}</figcaption>\n<svg viewBox=\"0 0 {1} {2}\" "
      "role=\"img\" aria-labelledby=\"t{3} d{3}\">\n<title id=\"t{3}\">{0}</title>\n"
      "<desc id=\"d{3}\">Time over n, both axes logarithmic: {4}. The numbers are in "
      "the table below.</desc>\n{5}{6}</svg>\n<p class=\"legend\">{7}</p>\n"
      "</figure>\n",
      escaped(picture.title), picture_width, picture_height, number, names, axes_text(x, y), lines,
      legend);
}

} // namespace memlane
