#include "gpu_json.hpp"
#include "gpu_overview.hpp"
#include "gpu_words.hpp"
#include "page.hpp"

#include "memlane/report/gpu_report.hpp"
#include "memlane/report/text_table.hpp"

#include <fmt/format.h>

#include <array>

namespace memlane {
namespace {

/// The picture of the last curve, or a new one where another curve begins.
Picture& picture_of(std::vector<Picture>& pictures, const std::string& curve,
                    const std::vector<PictureLine>& lines) {
  if (pictures.empty() || pictures.back().title != curve) pictures.push_back({curve, lines});
  return pictures.back();
}

std::vector<Picture> comparison_pictures(const measure::MeasuredComparison& comparison) {
  const std::vector<PictureLine> empty = {{"measured", "measured", {}},
                                          {"written by hand", "hand-written", {}},
                                          {"CUB", "cub", {}},
                                          {"predicted", "model", {}}};
  std::vector<Picture> pictures;
  for (const measure::ComparedPoint& point : comparison.points) {
    if (!point.size) continue;
    Picture& picture = picture_of(pictures, point.curve, empty);
    const auto variant = static_cast<std::size_t>(point.measured.variant);
    picture.lines[variant].points.emplace_back(*point.size, point.measured.priced_ns);
    auto& model = picture.lines.back().points;
    const bool fresh = model.empty() || model.back().first < *point.size;
    if (fresh && point.predicted_ns) model.emplace_back(*point.size, *point.predicted_ns);
  }
  return pictures;
}

/// Bytes of arrays in global memory: a DMM's are not, and its time is that of shared memory.
std::optional<double> global_bytes(const measure::MeasuredPoint& measured) {
  return measured.machine.model == Model::dmm ? std::nullopt : measured.array_bytes;
}

std::optional<double> peak_of(double gbps) { return gbps > 0 ? std::optional(gbps) : std::nullopt; }

Overview overview_of(const measure::MeasuredComparison& comparison) {
  constexpr std::array<std::string_view, 3> styles = {"measured", "hand-written", "cub"};
  Overview overview;
  for (const measure::ComparedPoint& point : comparison.points) {
    const measure::MeasuredPoint& measured = point.measured;
    overview.points.push_back({point.curve, measure::parameters_text(measured.parameters),
                               std::string(name_of(measured.variant)),
                               styles.at(static_cast<std::size_t>(measured.variant)),
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
  Page page;
  page.title = fmt::format("{} beside {}", devices_text(comparison), comparison.machine.name);
  page.words.push_back(fmt::format("Measured times from {}, and simulated time units of the "
                                   "machine {}.",
                                   comparison.path, comparison.machine.name));
  if (comparison.costs) {
    std::string costs = costs_sentence(*comparison.costs) + ".";
    costs.front() = 'P';
    page.words.push_back(std::move(costs));
  }
  add_overview(overview_of(comparison), page);
  page.pictures = comparison_pictures(comparison);
  page.findings = order_sentences(comparison.emitted);
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
  page.tables.push_back(std::move(table));
  return render_page(page);
}

std::string fit_page(const FitReport& report) {
  Page page;
  page.title = fmt::format("{}, fitted to {}", report.base.name, report.device.name);
  page.words = {fmt::format("{} points from {}. Residuals are relative; their root mean square is "
                            "{:.2f} %.",
                            report.measured.points.size(), report.path, 100 * report.fit().rms)};
  for (const std::string& warning : fit_warnings(report))
    page.words.push_back("Warning: " + warning);
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
  const std::vector<PictureLine> empty = {{"measured", "measured", {}}, {"fitted", "model", {}}};
  for (const PointOfFit& point : fit_points(report)) {
    const std::string parameters = measure::parameters_text(point.measured.parameters);
    const double measured_ns = point.measured.priced_ns, fitted_ns = point.fitted.ns;
    table.rows.push_back({point.curve, parameters, short_number(point.fitted.units),
                          short_time(measured_ns), short_time(fitted_ns),
                          fmt::format("{:.2f} %", 100 * point.fitted.relative_residual)});
    overview.points.push_back({point.curve, parameters, "emitted", "measured", measured_ns,
                               fitted_ns > 0 ? std::optional(fitted_ns) : std::nullopt,
                               global_bytes(point.measured)});
    const auto size = measure::size_of(point.measured);
    if (!size) continue;
    Picture& picture = picture_of(page.pictures, point.curve, empty);
    picture.lines[0].points.emplace_back(*size, measured_ns);
    if (fitted_ns > 0) picture.lines[1].points.emplace_back(*size, fitted_ns);
  }
  add_overview(overview, page);
  page.first_tables.insert(page.first_tables.begin(), std::move(values));
  page.tables = {std::move(table)};
  return render_page(page);
}

} // namespace memlane
