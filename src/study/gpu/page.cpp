// Pages of measurements and of fits.
#include "words.hpp"

#include "memlane/chart/scale.hpp"
#include "memlane/study/gpu/report.hpp"
#include "memlane/study/pages/charts_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace memlane {
namespace {

// --- all points together: predicted against measured, and a roofline

/// A measured point of a page.
struct OverviewPoint {
  std::string curve, parameters, kernel;
  std::string series; ///< emitted kernels, written by hand, CUB
  double measured_ns = 0;
  std::optional<double> predicted_ns;
  std::optional<double> bytes; ///< of its arrays in global memory, each once
};

struct Overview {
  std::vector<OverviewPoint> points;
  std::optional<double> peak_gbps; ///< of the device's memory
  std::optional<double> launch_ns; ///< of one launch
};

std::string rate_text(double gbps) { return fmt::format("{:.4g} GB/s", gbps); }

std::string name_of(const OverviewPoint& point) {
  return fmt::format("{} {} ({})", point.curve, point.parameters, point.kernel);
}

ChartAxis log_axis(std::string name, AxisText text) {
  return {std::move(name), AxisScale::log10, text, {}, {}};
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

/// The charts that have points, and the table of the worst ten.
PageSection overview_section(const Overview& overview) {
  PageSection section;
  section.heading = "Predicted and measured";
  for (Chart& chart :
       std::array{predicted_chart(overview), residual_chart(overview), roofline(overview)})
    if (!chart.panels.front().series.empty()) section.charts.push_back(std::move(chart));
  section.tables = {worst_table(overview)};
  return section;
}

// --- curves

/// The chart of the last curve, or a new one where another curve begins; its series take the
/// names and bases of `lines`.
Chart& chart_of_curve(std::vector<Chart>& charts, const std::string& curve,
                      const std::vector<ChartSeries>& lines) {
  if (!charts.empty() && charts.back().title == curve) return charts.back();
  Chart chart;
  chart.title = curve;
  chart.summary = "Time over n, both axes logarithmic; the numbers are in the table below.";
  chart.x = {"n", AxisScale::log2, AxisText::number, {}, {}};
  chart.y = {"time", AxisScale::log10, AxisText::nanoseconds, {}, {}};
  chart.panels = {{"", lines}};
  return charts.emplace_back(std::move(chart));
}

/// Adds a point to a series of a curve.
void add_point(ChartSeries& series, double size, double ns, const std::string& parameters) {
  series.points.push_back({size, ns,
                           fmt::format("{} ({}), {}: {}", series.name, name_of(series.basis),
                                       parameters, short_time(ns)),
                           ""});
}

/// Series without points would be in the legend.
std::vector<Chart> drawn_charts(std::vector<Chart> charts) {
  for (Chart& chart : charts)
    std::erase_if(chart.panels.front().series,
                  [](const ChartSeries& series) { return series.points.empty(); });
  std::erase_if(charts, [](const Chart& chart) { return chart.panels.front().series.empty(); });
  return charts;
}

std::vector<Chart> comparison_charts(const measure::MeasuredComparison& comparison) {
  const std::vector<ChartSeries> empty = {
      {"emitted", SeriesBasis::measured, Mark::line, {}},
      {"written by hand", SeriesBasis::measured, Mark::line, {}},
      {"CUB", SeriesBasis::measured, Mark::line, {}},
      {"emitted", SeriesBasis::model, Mark::line, {}}};
  std::vector<Chart> charts;
  for (const measure::ComparedPoint& point : comparison.points) {
    if (!point.size) continue;
    std::vector<ChartSeries>& lines = chart_of_curve(charts, point.curve, empty).panels[0].series;
    const auto variant = static_cast<std::size_t>(point.measured.variant);
    const std::string parameters = measure::parameters_text(point.measured.parameters);
    add_point(lines[variant], *point.size, point.measured.priced_ns, parameters);
    const std::vector<ChartPoint>& model = lines.back().points;
    const bool fresh = model.empty() || model.back().x < *point.size;
    if (fresh && point.predicted_ns)
      add_point(lines.back(), *point.size, *point.predicted_ns, parameters);
  }
  return drawn_charts(std::move(charts));
}

/// Bytes of arrays in global memory: a DMM's are not, and its time is that of shared memory.
std::optional<double> global_bytes(const measure::MeasuredPoint& measured) {
  return !traits_of(measured.machine.model).has_global ? std::nullopt : measured.array_bytes;
}

std::optional<double> peak_of(double gbps) { return gbps > 0 ? std::optional(gbps) : std::nullopt; }

Overview overview_of(const measure::MeasuredComparison& comparison) {
  constexpr std::array<std::string_view, 4> names = {"emitted kernels", "written by hand", "CUB",
                                                     "launches of programs"};
  Overview overview;
  for (const measure::ComparedPoint& point : comparison.points) {
    const measure::MeasuredPoint& measured = point.measured;
    overview.points.push_back({point.curve, measure::parameters_text(measured.parameters),
                               std::string(name_of(measured.variant)),
                               std::string(names.at(static_cast<std::size_t>(measured.variant))),
                               measured.priced_ns, point.predicted_ns, global_bytes(measured)});
    overview.peak_gbps = peak_of(measured.device.peak_bandwidth_gbps);
  }
  if (comparison.costs) overview.launch_ns = comparison.costs->launch.value;
  return overview;
}

template <class T, class List>
PageTable page_table(std::string title, const Columns<T>& columns, const List& rows) {
  PageTable table{std::move(title), {columns.heading_cells()}, {}};
  const std::vector<Align> aligns = columns.text_aligns();
  for (std::size_t i = 0; i < aligns.size(); ++i)
    if (aligns[i] == Align::left) table.texts.insert(i);
  for (const T& row : rows) table.rows.push_back(columns.text_cells(row));
  return table;
}

std::string devices_text(const measure::MeasuredComparison& comparison) {
  return comparison.points.empty() ? "" : comparison.points.front().measured.device.name;
}

} // namespace

std::string measured_page(const measure::MeasuredComparison& comparison) {
  ChartsPage page;
  page.title = fmt::format("{} beside {}", devices_text(comparison), comparison.machine.name);
  page.paragraphs.push_back(fmt::format("Measured times from {}, and simulated time units of the "
                                        "machine {}.",
                                        comparison.path, comparison.machine.name));
  if (comparison.costs) {
    std::string costs = costs_sentence(*comparison.costs) + ".";
    costs.front() = 'P';
    page.paragraphs.push_back(std::move(costs));
  }
  page.sections = {overview_section(overview_of(comparison)), {}, {}, {}};
  page.sections[1].heading = "Curves";
  page.sections[1].charts = comparison_charts(comparison);
  page.sections[2].heading = "The order of the algorithms";
  for (const OrderFinding& finding : order_findings(comparison)) {
    std::vector<std::string>& paragraphs = page.sections[2].paragraphs;
    std::string question(finding.question);
    question.front() = static_cast<char>(std::toupper(question.front()));
    paragraphs.push_back(std::move(question));
    paragraphs.insert(paragraphs.end(), finding.sentences.begin(), finding.sentences.end());
  }
  PageTable table = page_table("All points", compared_point_columns(), comparison.points);
  for (const measure::SkippedPoint& skipped : comparison.skipped)
    table.rows.push_back(skipped_cells(skipped));
  page.sections[3].tables = {std::move(table)};
  return charts_page(page);
}

std::string fit_page(const FitReport& report) {
  ChartsPage page;
  page.title = fmt::format("{}, fitted to {}", report.base.name, report.device.name);
  page.paragraphs = {
      fmt::format("{} points from {}. Residuals are relative; their root mean square is "
                  "{:.2f} %.",
                  report.measured.points.size(), report.path, 100 * report.fit().rms)};
  for (const std::string& warning : fit_warnings(report))
    page.paragraphs.push_back("Warning: " + warning);
  Overview overview;
  overview.peak_gbps = peak_of(report.device.peak_bandwidth_gbps);
  overview.launch_ns = report.fit().values()[measure::Parameter::launch];
  const std::vector<PointOfFit> points = fit_points(report);
  PageTable table = page_table("All points", fit_point_columns(), points);
  for (const measure::UnusedPoint& unused : report.measured.unused)
    table.rows.push_back(unused_cells(unused));
  const std::vector<ChartSeries> empty = {{"emitted", SeriesBasis::measured, Mark::line, {}},
                                          {"emitted", SeriesBasis::model, Mark::line, {}}};
  std::vector<Chart> curves;
  for (const PointOfFit& point : points) {
    const std::string parameters = measure::parameters_text(point.measured.parameters);
    const double measured_ns = point.measured.priced_ns, fitted_ns = point.fitted.ns;
    overview.points.push_back({point.curve, parameters, "emitted", "emitted kernels", measured_ns,
                               fitted_ns > 0 ? std::optional(fitted_ns) : std::nullopt,
                               global_bytes(point.measured)});
    const auto size = measure::size_of(point.measured);
    if (!size) continue;
    std::vector<ChartSeries>& lines = chart_of_curve(curves, point.curve, empty).panels[0].series;
    add_point(lines[0], *size, measured_ns, parameters);
    if (fitted_ns > 0) add_point(lines[1], *size, fitted_ns, parameters);
  }
  page.sections = {{}, overview_section(overview), {}, {}};
  page.sections[0].tables = {
      page_table("The fitted machine", estimate_columns(), report.fit().estimates)};
  page.sections[2].heading = "Curves";
  page.sections[2].charts = drawn_charts(std::move(curves));
  page.sections[3].tables = {std::move(table)};
  return charts_page(page);
}

} // namespace memlane
