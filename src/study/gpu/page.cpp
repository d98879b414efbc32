// Pages of measurements and of fits.
#include "overview.hpp"
#include "words.hpp"

#include "memlane/chart/scale.hpp"
#include "memlane/study/gpu/report.hpp"
#include "memlane/study/pages/charts_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

namespace memlane {
namespace {

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
  const auto columns = compared_point_columns().without_empty(comparison.points);
  PageTable table = page_table("All points", columns, comparison.points);
  for (const measure::SkippedPoint& skipped : comparison.skipped)
    table.rows.push_back(skipped_cells(skipped, columns.heading_cells().size()));
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
