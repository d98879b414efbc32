#include "axis.hpp"

#include "page.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {
namespace {

std::vector<double> thinned(const std::vector<double>& all) {
  std::vector<double> marks;
  const std::size_t step = all.size() / 7 + 1;
  for (std::size_t i = 0; i < all.size(); i += step) marks.push_back(all[i]);
  return marks;
}

LogAxis axis_of(const AxisRange& range, double from, double to) {
  const double room = std::max(std::pow(range.greatest / range.least, 0.06), 1.2);
  return {range.least / room, range.greatest * room, from, to};
}

} // namespace

void AxisRange::hold(double value) {
  least = std::min(least, value);
  greatest = std::max(greatest, value);
}

LogAxis AxisRange::horizontal() const {
  return axis_of(*this, margin_left, picture_width - margin_right);
}
LogAxis AxisRange::vertical() const {
  return axis_of(*this, picture_height - margin_bottom, margin_top);
}

std::vector<double> axis_marks(const LogAxis& axis, double base) {
  std::vector<double> all;
  const double first = std::ceil(std::log(axis.lo) / std::log(base));
  for (double power = first; std::pow(base, power) <= axis.hi && all.size() < 200; ++power)
    all.push_back(std::pow(base, power));
  return thinned(all);
}

std::vector<double> decimal_marks(const LogAxis& axis) {
  std::vector<double> powers = axis_marks(axis, 10);
  if (powers.size() > 2) return powers;
  std::vector<double> all;
  const double first = std::pow(10, std::floor(std::log10(axis.lo)));
  for (double power = first; power <= axis.hi; power *= 10)
    for (const double digit : {1.0, 2.0, 5.0})
      if (axis.holds(digit * power)) all.push_back(digit * power);
  return thinned(all);
}

std::string frame_text(const std::vector<AxisMark>& horizontal,
                       const std::vector<AxisMark>& vertical) {
  constexpr double right = picture_width - margin_right, bottom = picture_height - margin_bottom;
  std::string text =
      fmt::format("<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                  margin_left, margin_top, right - margin_left, bottom - margin_top);
  for (const AxisMark& mark : horizontal)
    text += fmt::format("<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>"
                        "<text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>\n",
                        mark.at, margin_top, bottom, bottom + 16, escaped(mark.text));
  for (const AxisMark& mark : vertical)
    text +=
        fmt::format("<line class=\"grid\" y1=\"{0:.1f}\" y2=\"{0:.1f}\" x1=\"{1}\" x2=\"{2}\"/>"
                    "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
                    mark.at, margin_left, right, margin_left - 6, mark.at + 4, escaped(mark.text));
  return text;
}

std::string figure_text(const Figure& figure) {
  return fmt::format(
      "<figure>\n<figcaption>{0}</figcaption>\n<svg viewBox=\"0 0 {1} {2}\" "
      "role=\"img\" aria-labelledby=\"{3}-title {3}-text\">\n<title id=\"{3}-title\">{0}</title>\n"
      "<desc id=\"{3}-text\">{4}</desc>\n{5}</svg>\n<p class=\"legend\">{6}</p>\n</figure>\n",
      figure.title, picture_width, picture_height, figure.id, figure.description, figure.content,
      figure.legend);
}

std::string legend_key(std::string_view style, std::string_view name) {
  return fmt::format("<span class=\"key {}\">{}</span> ", style, escaped(name));
}

} // namespace memlane
