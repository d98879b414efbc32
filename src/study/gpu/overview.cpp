#include "overview.hpp"

#include "words.hpp"

#include "memlane/chart/scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace memlane {

ChartAxis log_axis(std::string name, AxisText text) {
  return {std::move(name), AxisScale::log10, text, {}, {}};
}

namespace {

std::string rate_text(double gbps) { return fmt::format("{:.4g} GB/s", gbps); }

std::string name_of(const OverviewPoint& point) {
  return fmt::format("{} {} ({})", point.curve, point.parameters, point.kernel);
}

/// A chart with one panel of points; `place` gives a point's x and y, or nothing.
template <class Place, class Text>
Chart chart_of(const Overview& overview, std::string title, Place&& place, Text&& text) {
  Chart chart;
  chart.title = std::move(title);
  chart.panels.emplace_back();
  std::vector<ChartSeries>& all = chart.panels.front().series;
  for (const OverviewPoint& point : overview.points) {
    const std::optional<std::pair<double, double>> at = place(point);
    if (!at) continue;
    auto series = std::find_if(all.begin(), all.end(), [&](const ChartSeries& known) {
      return known.name == point.series;
    });
    if (series == all.end())
      series = all.insert(all.end(), {point.series, SeriesBasis::model, Mark::points, {}});
    series->points.push_back(
        {at->first, at->second, fmt::format("{}: {}", name_of(point), text(point)), ""});
  }
  return chart;
}

/// All points of a chart of one panel.
std::vector<ChartPoint> points_of(const Chart& chart) {
  std::vector<ChartPoint> points;
  for (const ChartSeries& series : chart.panels.front().series)
    points.insert(points.end(), series.points.begin(), series.points.end());
  return points;
}

Chart predicted_chart(const Overview& overview) {
  Chart chart = chart_of(
      overview, "Predicted against measured",
      [](const OverviewPoint& point) -> std::optional<std::pair<double, double>> {
        if (!point.predicted_ns) return std::nullopt;
        return std::pair(point.measured_ns, *point.predicted_ns);
      },
      [](const OverviewPoint& point) {
        return fmt::format("predicted {}, measured {}", short_time(*point.predicted_ns),
                           short_time(point.measured_ns));
      });
  chart.x = log_axis("measured", AxisText::nanoseconds);
  chart.y = log_axis("predicted", AxisText::nanoseconds);
  chart.guides = {{"as measured", true}, {"twice, half", false, 2}, {"", false, 0.5}};
  const std::vector<ChartPoint> points = points_of(chart);
  const auto within = std::count_if(points.begin(), points.end(), [](const ChartPoint& point) {
    return point.y <= 2 * point.x && point.x <= 2 * point.y;
  });
  chart.summary = fmt::format("Both axes are logarithmic. Of {} points {} are within a factor of "
                              "two of the line where the prediction is right.",
                              points.size(), within);
  return chart;
}

/// Around 1 to both sides alike: in per cent where all are near, else as multiples.
Chart residual_chart(const Overview& overview) {
  const auto ratio = [](const OverviewPoint& point) {
    return *point.predicted_ns / point.measured_ns;
  };
  Chart chart = chart_of(
      overview, "Residuals: predicted / measured",
      [&](const OverviewPoint& point) -> std::optional<std::pair<double, double>> {
        if (!point.predicted_ns) return std::nullopt;
        return std::pair(point.measured_ns, ratio(point));
      },
      [&](const OverviewPoint& point) {
        return fmt::format("{:.4g} times as measured", ratio(point));
      });
  double least = INFINITY, greatest = 0;
  for (const ChartPoint& point : points_of(chart)) {
    least = std::min(least, point.y);
    greatest = std::max(greatest, point.y);
  }
  if (greatest == 0) return chart;
  const double most = std::max({greatest, 1 / least, 1.002});
  const bool near = most <= 1.6;
  chart.x = log_axis("measured", AxisText::nanoseconds);
  chart.y = log_axis("predicted / measured", near ? AxisText::percent : AxisText::ratio);
  chart.y.also = {1 / most, most};
  chart.guides = {{"as measured", true, 1, 0}};
  if (!near) {
    chart.guides.push_back({"twice, half", false, 2, 0});
    chart.guides.push_back({"", false, 0.5, 0});
  }
  chart.summary = fmt::format("Both axes are logarithmic. The prediction is {:.4g} to {:.4g} "
                              "times the measured time.",
                              least, greatest);
  return chart;
}

/// A roofline [Williams, Waterman & Patterson 2009] over the bytes that a kernel must move at
/// least: the models price memory, not operations, so that the slope is the cost of a launch.
Chart roofline(const Overview& overview) {
  const auto rate_of = [](const OverviewPoint& point) { // a byte a nanosecond is 1 GB/s
    return *point.bytes / point.measured_ns;
  };
  const ChartAxis bytes_axis = log_axis("bytes of the arrays, each once", AxisText::bytes);
  Chart chart = chart_of(
      overview, "Roofline: bandwidth of the arrays",
      [&](const OverviewPoint& point) -> std::optional<std::pair<double, double>> {
        if (!point.bytes) return std::nullopt;
        return std::pair(*point.bytes, rate_of(point));
      },
      [&](const OverviewPoint& point) {
        return fmt::format("{} in {}, {}", value_text(bytes_axis, *point.bytes),
                           short_time(point.measured_ns), rate_text(rate_of(point)));
      });
  chart.x = bytes_axis;
  chart.y = log_axis("bandwidth in GB/s", AxisText::number);
  double most = 0;
  for (const ChartPoint& point : points_of(chart)) most = std::max(most, point.y);
  const double ridge = overview.peak_gbps.value_or(INFINITY) * overview.launch_ns.value_or(0);
  if (std::isfinite(ridge) && ridge > 0) chart.x.also = {ridge / 2, ridge * 2};
  chart.summary =
      fmt::format("Both axes are logarithmic. The highest bandwidth is {}.", rate_text(most));
  if (overview.peak_gbps) {
    chart.y.also.push_back(*overview.peak_gbps);
    chart.guides.push_back(
        {"peak " + rate_text(*overview.peak_gbps), true, *overview.peak_gbps, 0, ridge});
    chart.summary += fmt::format(" The device's peak is {}.", rate_text(*overview.peak_gbps));
  }
  if (overview.launch_ns && *overview.launch_ns > 0) {
    chart.guides.push_back({"one launch of " + short_time(*overview.launch_ns), true,
                            1 / *overview.launch_ns, 1, 0, ridge});
    chart.summary += fmt::format(" A launch alone takes {}.", short_time(*overview.launch_ns));
  }
  return chart;
}

PageTable worst_table(const Overview& overview) {
  const auto distance = [](const OverviewPoint* point) {
    return std::abs(std::log(*point->predicted_ns / point->measured_ns));
  };
  std::vector<const OverviewPoint*> worst;
  for (const OverviewPoint& point : overview.points)
    if (point.predicted_ns) worst.push_back(&point);
  std::stable_sort(worst.begin(), worst.end(),
                   [&](const auto* a, const auto* b) { return distance(a) > distance(b); });
  if (worst.size() > 10) worst.resize(10);
  PageTable table{
      worst.size() == 10 ? "The worst ten" : "From the worst to the best",
      {{"algorithm", "parameters", "kernel", "measured", "predicted", "predicted / measured"}},
      {0, 1, 2}};
  for (const OverviewPoint* point : worst)
    table.rows.push_back(
        {point->curve, point->parameters, point->kernel, short_time(point->measured_ns),
         short_time(*point->predicted_ns),
         value_text(log_axis("", AxisText::ratio), *point->predicted_ns / point->measured_ns)});
  return table;
}

} // namespace

PageSection overview_section(const Overview& overview) {
  PageSection section;
  section.heading = "Predicted and measured";
  for (Chart& chart :
       std::array{predicted_chart(overview), residual_chart(overview), roofline(overview)})
    if (!chart.panels.front().series.empty()) section.charts.push_back(std::move(chart));
  section.tables = {worst_table(overview)};
  return section;
}

} // namespace memlane
