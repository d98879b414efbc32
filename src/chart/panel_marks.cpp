// The marks of a panel: lines, markers, bars, error bars and guides.
#include "panel_marks.hpp"

#include "memlane/chart/markup.hpp"
#include "memlane/chart/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace memlane {

std::string marker_start(std::size_t name, double x, double y, double radius, bool hollow) {
  const Marker& corners = markers()[name % markers().size()];
  if (hollow) radius *= 1.5; // around a full one at the same place
  const std::string_view style = hollow
                                     ? " class=\"mark hollow\" fill=\"none\" stroke-width=\"1.5\""
                                     : " class=\"mark\" stroke=\"none\"";
  if (corners.empty())
    return fmt::format("<circle{} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\">", style, x, y, radius);
  std::string path;
  for (const auto& [dx, dy] : corners)
    path +=
        fmt::format("{}{:.1f},{:.1f}", path.empty() ? "M" : "L", x + radius * dx, y + radius * dy);
  return fmt::format("<path{} d=\"{}Z\">", style, path);
}
std::string_view marker_end(std::size_t name) {
  return markers()[name % markers().size()].empty() ? "</circle>" : "</path>";
}

std::string colour_attributes(std::size_t name) {
  const std::size_t colour = name % series_colours.size();
  return fmt::format("class=\"s{0}\" fill=\"{1}\" stroke=\"{1}\"", colour,
                     series_colours[colour].light);
}

namespace {

/// Of markers in one cell of this width one is drawn; on lines with many points in a larger one.
constexpr double covered_distance = 0.5, crowded_distance = 7;
constexpr std::size_t crowd = 60;

/// A point of a series and its place in the picture.
struct PlacedPoint {
  double x = 0, y = 0;
  const ChartPoint* point = nullptr;
};

/// Bars of a panel, side by side where they share an x; as shares of the x axis.
class BarPlaces {
public:
  BarPlaces(const Chart& chart, const ChartPanel& panel, const ChartAxes& axes);
  /// Of the bar at `x` of a series, by its number among those with bars: from and to.
  std::pair<double, double> extent(std::size_t series, double x) const;

private:
  const ChartAxes* axes_;
  std::size_t series_ = 0; ///< the number of series that have bars
  double slot_ = 1;        ///< the distance between groups of bars
};

BarPlaces::BarPlaces(const Chart& chart, const ChartPanel& panel, const ChartAxes& axes)
    : axes_(&axes), slot_(1 / std::max(1.0, axes.x.hi - axes.x.lo)) {
  std::set<double> places;
  for (const ChartSeries& series : panel.series) {
    if (series.mark != Mark::bars) continue;
    ++series_;
    for (const ChartPoint& point : series.points)
      if (has_place(chart.x.scale, point.x)) places.insert(axes.x.share(point.x));
  }
  if (chart.x.scale == AxisScale::categories) return;
  slot_ = 0.12;
  for (auto at = places.begin(); at != places.end() && std::next(at) != places.end(); ++at)
    slot_ = std::min(slot_, *std::next(at) - *at);
}

std::pair<double, double> BarPlaces::extent(std::size_t series, double x) const {
  const double of = static_cast<double>(std::max<std::size_t>(1, series_));
  const double width = std::min(0.8 * slot_ / of, 0.12);
  const double from = axes_->x.share(x) + (static_cast<double>(series) - of / 2) * width;
  return {std::clamp(from, 0.0, 1.0), std::clamp(from + 0.94 * width, 0.0, 1.0)};
}

/// The parts of a guide within the axes, as values: straight pieces, since powers are straight only
/// where both axes are logarithmic.
std::vector<std::vector<std::pair<double, double>>> guide_lines(const ChartGuide& guide,
                                                                const ChartAxes& axes) {
  constexpr int pieces = 128;
  std::vector<std::vector<std::pair<double, double>>> lines;
  const AxisSpan part{axes.x.scale, std::max(axes.x.lo, guide.from), std::min(axes.x.hi, guide.to)};
  bool inside = false;
  for (int i = 0; part.lo < part.hi && i <= pieces; ++i) {
    const double x = part.value(static_cast<double>(i) / pieces);
    const double y = guide.factor * std::pow(x, guide.power);
    const bool was_inside = inside;
    inside = has_place(axes.y.scale, y) && axes.y.holds(y);
    if (inside && !was_inside) lines.emplace_back();
    if (inside) lines.back().emplace_back(x, y);
  }
  return lines;
}

/// What a point shows beside the pointer, without its command.
std::string hover_text(const Chart& chart, const ChartSeries& series, const ChartPoint& point) {
  if (!point.text.empty()) return point.text;
  return fmt::format("{}{}{} {}, {} {}", series.name, series.name.empty() ? "" : ": ", chart.x.name,
                     value_text(chart.x, point.x), chart.y.name, value_text(chart.y, point.y));
}

class Panel {
public:
  Panel(const Chart& chart, const ChartPanel& panel, const PanelFrame& frame, const ChartAxes& axes)
      : chart_(chart), panel_(panel), frame_(frame), axes_(axes), names_(series_names(chart)),
        bar_places_(chart, panel, axes) {}

  std::string text() const;

private:
  double place_x(double x) const { return frame_.left + frame_.width * axes_.x.share(x); }
  double place_y(double y) const { return frame_.bottom() - frame_.height * axes_.y.share(y); }
  std::size_t name_of_series(const ChartSeries& series) const {
    return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), series.name) -
                                    names_.begin());
  }
  /// Runs of points that a line joins, ascending in x.
  std::vector<std::vector<PlacedPoint>> runs(const ChartSeries& series) const;
  std::string guide(const ChartGuide& guide) const;
  std::string line(const ChartSeries& series, const std::vector<PlacedPoint>& run) const;
  std::string spread(const PlacedPoint& point, std::string_view colour = "") const;
  std::string marker(const ChartSeries& series, const PlacedPoint& point, double radius) const;
  std::string marked(const ChartSeries& series) const;
  /// `number`: among the series with bars.
  std::string bars(const ChartSeries& series, std::size_t number) const;

  const Chart& chart_;
  const ChartPanel& panel_;
  const PanelFrame& frame_;
  const ChartAxes& axes_;
  std::vector<std::string> names_;
  BarPlaces bar_places_;
};

std::string title_of(const Chart& chart, const ChartSeries& series, const ChartPoint& point) {
  std::string text = escaped(hover_text(chart, series, point));
  if (!point.command.empty()) text += "\n" + escaped(point.command);
  return "<title>" + text + "</title>";
}

std::vector<std::vector<PlacedPoint>> Panel::runs(const ChartSeries& series) const {
  std::vector<const ChartPoint*> sorted;
  for (const ChartPoint& point : series.points)
    if (has_place(chart_.x.scale, point.x)) sorted.push_back(&point);
  std::stable_sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->x < b->x; });
  std::vector<std::vector<PlacedPoint>> all(1);
  for (const ChartPoint* point : sorted) {
    if (has_place(chart_.y.scale, point->y))
      all.back().push_back({place_x(point->x), place_y(point->y), point});
    else if (!all.back().empty())
      all.emplace_back();
  }
  return all;
}

/// Of points in one column of the picture, the first, the last, the highest and the lowest.
std::vector<PlacedPoint> without_hidden(const std::vector<PlacedPoint>& run) {
  std::vector<PlacedPoint> kept;
  for (std::size_t i = 0; i < run.size();) {
    std::size_t end = i + 1, low = i, high = i;
    for (; end < run.size() && std::floor(run[end].x) == std::floor(run[i].x); ++end) {
      if (run[end].y < run[low].y) low = end;
      if (run[end].y > run[high].y) high = end;
    }
    for (const std::size_t at : std::set<std::size_t>{i, low, high, end - 1})
      kept.push_back(run[at]);
    i = end;
  }
  return kept;
}

std::string Panel::line(const ChartSeries& series, const std::vector<PlacedPoint>& run) const {
  if (run.size() < 2) return "";
  std::string path;
  for (const PlacedPoint& point : without_hidden(run))
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "M" : "L", point.x, point.y);
  const std::string_view dashes = dashes_of(series.basis);
  return fmt::format("<path class=\"line\" d=\"{}\" fill=\"none\" stroke-width=\"1.8\"{}/>\n", path,
                     dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes));
}

std::string Panel::marker(const ChartSeries& series, const PlacedPoint& point,
                          double radius) const {
  const std::size_t name = name_of_series(series);
  return marker_start(name, point.x, point.y, radius, is_hollow(series.basis)) +
         title_of(chart_, series, *point.point) + std::string(marker_end(name)) + "\n";
}

/// The bar from the least to the greatest of a point's values, no longer than the frame. If no
/// colour is given, it has the colour of its series.
std::string Panel::spread(const PlacedPoint& placed, std::string_view colour) const {
  const ChartPoint& point = *placed.point;
  if (!point.has_spread() || !has_place(chart_.y.scale, point.greatest)) return "";
  const double low =
      has_place(chart_.y.scale, point.least) ? place_y(point.least) : frame_.bottom();
  constexpr double cap = 3;
  return fmt::format("<path class=\"spread{5}\" d=\"M{0:.1f},{2:.1f}H{1:.1f}M{0:.1f},{3:.1f}"
                     "H{1:.1f}M{4:.1f},{2:.1f}V{3:.1f}\" fill=\"none\" stroke-width=\"1\"{6}/>\n",
                     placed.x - cap, placed.x + cap, low, place_y(point.greatest), placed.x,
                     colour.empty() ? "" : " ink",
                     colour.empty() ? "" : fmt::format(" stroke=\"{}\"", colour));
}

std::string Panel::marked(const ChartSeries& series) const {
  std::string text;
  const bool crowded = series.mark == Mark::line && series.points.size() > crowd;
  const double cell = crowded ? crowded_distance : covered_distance;
  std::set<std::pair<double, double>> taken; // cells with a marker
  for (const std::vector<PlacedPoint>& run : runs(series)) {
    if (series.mark != Mark::points) text += line(series, run);
    if (series.mark == Mark::curve) continue;
    for (const PlacedPoint& point : run) text += spread(point);
    for (const PlacedPoint& point : run)
      if (taken.insert({std::round(point.x / cell), std::round(point.y / cell)}).second)
        text += marker(series, point, series.points.size() > 400 ? 2.2 : 3.4);
  }
  return text;
}

std::string Panel::bars(const ChartSeries& series, std::size_t number) const {
  const double zero = place_y(axes_.y.base());
  const std::string_view style = series.basis == SeriesBasis::model      ? ""
                                 : series.basis == SeriesBasis::measured ? " fill-opacity=\"0.3\""
                                                                         : " fill=\"none\"";
  const std::string dashes =
      series.basis == SeriesBasis::formula ? " stroke-dasharray=\"4 3\"" : "";
  std::string text;
  for (const std::vector<PlacedPoint>& run : runs(series)) {
    for (const PlacedPoint& point : run) {
      const auto [from, to] = bar_places_.extent(number, point.point->x);
      const double left = frame_.left + frame_.width * from;
      const double right = frame_.left + frame_.width * to;
      text += fmt::format("<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                          "height=\"{:.1f}\" stroke-width=\"1\"{}{}>{}</rect>\n",
                          left, std::min(zero, point.y), std::max(0.5, right - left),
                          std::abs(zero - point.y), style, dashes,
                          title_of(chart_, series, *point.point));
      const PlacedPoint middle{(left + right) / 2, point.y, point.point};
      // The marker tells names apart without colour.
      if (names_.size() > 1 && right - left > 7) text += marker(series, middle, 3);
      text += spread(middle, chart_ink);
    }
  }
  return text;
}

std::string Panel::guide(const ChartGuide& guide) const {
  std::string path;
  for (const auto& line : guide_lines(guide, axes_))
    for (const auto& [x, y] : line)
      path += fmt::format("{}{:.1f},{:.1f}", &line.front().first == &x ? "M" : "L", place_x(x),
                          place_y(y));
  if (path.empty()) return "";
  return fmt::format("<path class=\"guide{}\" d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\""
                     "{}\"{}><title>{}</title></path>\n",
                     guide.strong ? " strong" : "", path, guide.strong ? "#1b1b1f" : "#6a6a72",
                     guide.strong ? "1.3" : "1", guide.strong ? "" : " stroke-dasharray=\"5 4\"",
                     escaped(guide.label));
}

std::string Panel::text() const {
  std::string text;
  for (const ChartGuide& one : chart_.guides) text += guide(one);
  std::size_t number = 0;
  for (const ChartSeries& series : panel_.series) {
    const bool bar = series.mark == Mark::bars;
    text += fmt::format("<g {}>\n{}</g>\n", colour_attributes(name_of_series(series)),
                        bar ? bars(series, number) : marked(series));
    number += bar;
  }
  return text;
}

} // namespace

std::string marks_text(const Chart& chart, const ChartPanel& panel, const PanelFrame& frame,
                       const ChartAxes& axes) {
  return Panel(chart, panel, frame, axes).text();
}

} // namespace memlane
