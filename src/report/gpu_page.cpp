#include "gpu_json.hpp"
#include "gpu_overview.hpp"
#include "gpu_words.hpp"

#include "memlane/report/gpu_report.hpp"
#include "memlane/report/text_table.hpp"

#include <fmt/format.h>

#include <array>

namespace memlane {
namespace {

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
  return measured.machine.model == Model::dmm ? std::nullopt : measured.array_bytes;
}

std::optional<double> peak_of(double gbps) { return gbps > 0 ? std::optional(gbps) : std::nullopt; }

Overview overview_of(const measure::MeasuredComparison& comparison) {
  constexpr std::array<std::string_view, 3> names = {"emitted kernels", "written by hand", "CUB"};
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
  page.sections[2].paragraphs = order_sentences(comparison.emitted);
  PageTable table{"All points",
                  {{"algorithm", "parameters", "kernel", "", "time units", "predicted", "measured",
                    "ns/unit", "cycles", "cycles/unit"}},
                  4};
  for (const measure::ComparedPoint& point : comparison.points) {
    table.rows.push_back({point.curve, measure::parameters_text(point.measured.parameters),
                          std::string(name_of(point.measured.variant)), point.why_not,
                          point.time ? std::to_string(*point.time) : "",
                          point.predicted_ns ? short_time(*point.predicted_ns) : "",
                          short_time(point.measured.priced_ns),
                          optional_number(point.ns_per_unit()), optional_number(point.cycles),
                          optional_number(point.cycles_per_unit())});
  }
  for (const measure::SkippedPoint& skipped : comparison.skipped) {
    table.rows.push_back({skipped.program, measure::parameters_text(skipped.parameters),
                          std::string(name_of(skipped.variant)), "not measured: " + skipped.why, "",
                          "", "", "", "", ""});
  }
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
  PageTable values{"The fitted machine", {{"parameter", "standing", "value", "from", "to"}}, 2};
  for (const measure::Estimate& estimate : report.fit().estimates) {
    const auto& info = measure::info_of(estimate.parameter);
    values.rows.push_back({fmt::format("{}: {}", info.name, info.meaning),
                           std::string(name_of(estimate.status)), short_number(estimate.value),
                           optional_number(estimate.low), optional_number(estimate.high)});
  }
  PageTable table{"All points",
                  {{"algorithm", "parameters", "time units", "measured", "fitted", "residual"}},
                  2};
  const std::vector<ChartSeries> empty = {{"emitted", SeriesBasis::measured, Mark::line, {}},
                                          {"emitted", SeriesBasis::model, Mark::line, {}}};
  std::vector<Chart> curves;
  for (const PointOfFit& point : fit_points(report)) {
    const std::string parameters = measure::parameters_text(point.measured.parameters);
    const double measured_ns = point.measured.priced_ns, fitted_ns = point.fitted.ns;
    table.rows.push_back({point.curve, parameters, short_number(point.fitted.units),
                          short_time(measured_ns), short_time(fitted_ns),
                          fmt::format("{:.2f} %", 100 * point.fitted.relative_residual)});
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
  page.sections[0].tables = {std::move(values)};
  page.sections[2].heading = "Curves";
  page.sections[2].charts = drawn_charts(std::move(curves));
  page.sections[3].tables = {std::move(table)};
  return charts_page(page);
}

} // namespace memlane
