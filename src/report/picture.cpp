#include "axis.hpp"
#include "gpu_words.hpp"
#include "page.hpp"

#include <fmt/format.h>

#include <cmath>

namespace memlane {
namespace {

/// 1024, but 2^20: pictures are over powers of two.
std::string size_text(double size) {
  return size < 1e6 ? short_number(size) : fmt::format("2^{:.0f}", std::log2(size));
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
  AxisRange sizes, times;
  for (const PictureLine& line : picture.lines) {
    for (const auto& [size, ns] : line.points) {
      sizes.hold(size);
      times.hold(ns);
    }
  }
  if (sizes.greatest == 0) return "";
  const LogAxis x = sizes.horizontal(), y = times.vertical();
  std::vector<AxisMark> below, beside;
  for (const double size : axis_marks(x, 2)) below.push_back({x.place(size), size_text(size)});
  for (const double ns : decimal_marks(y)) beside.push_back({y.place(ns), short_time(ns)});
  std::string names, legend, lines;
  for (const PictureLine& line : picture.lines) {
    if (line.points.empty()) continue;
    names += (names.empty() ? "" : ", ") + escaped(line.name);
    legend += legend_key(line.style, line.name);
    lines += line_text(line, x, y);
  }
  const std::string axis_name =
      fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">n</text>\n",
                  (margin_left + picture_width - margin_right) / 2, picture_height - 10);
  return figure_text({escaped(picture.title), fmt::format("picture{}", number),
                      fmt::format("Time over n, both axes logarithmic: {}. The numbers are in the "
                                  "table below.",
                                  names),
                      frame_text(below, beside) + axis_name + lines, legend});
}

} // namespace memlane
