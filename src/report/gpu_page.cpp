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

std::vector<Picture> comparison_pictures(const gpu::MeasuredComparison& comparison) {
  const std::vector<PictureLine> empty = {{"measured", "measured", {}},
                                          {"written by hand", "hand-written", {}},
                                          {"CUB", "cub", {}},
                                          {"predicted", "model", {}}};
  std::vector<Picture> pictures;
  for (const gpu::ComparedPoint& point : comparison.points) {
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

std::string devices_text(const gpu::MeasuredComparison& comparison) {
  return comparison.points.empty() ? "" : comparison.points.front().measured.device.name;
}

} // namespace

std::string measured_page(const gpu::MeasuredComparison& comparison) {
  Page page;
  page.title = fmt::format("{} beside {}", devices_text(comparison), comparison.machine.name);
  page.words.push_back(fmt::format("Measured times from {}, and simulated time units of the "
                                   "machine {}.",
                                   comparison.path, comparison.machine.name));
  if (comparison.costs) page.words.push_back(costs_sentence(*comparison.costs) + ".");
  page.pictures = comparison_pictures(comparison);
  page.findings = order_sentences(comparison.emitted);
  PageTable table{"All points",
                  {{"algorithm", "parameters", "kernel", "", "time units", "predicted", "measured",
                    "ns/unit", "cycles", "cycles/unit"}},
                  4};
  for (const gpu::ComparedPoint& point : comparison.points) {
    table.rows.push_back({point.curve, gpu::parameters_text(point.measured.parameters),
                          std::string(name_of(point.measured.variant)), point.why_not,
                          point.time ? std::to_string(*point.time) : "",
                          point.predicted_ns ? short_time(*point.predicted_ns) : "",
                          short_time(point.measured.priced_ns),
                          optional_number(point.ns_per_unit()), optional_number(point.cycles),
                          optional_number(point.cycles_per_unit())});
  }
  for (const gpu::Skipped& skipped : comparison.skipped) {
    table.rows.push_back({skipped.program, gpu::parameters_text(skipped.parameters),
                          std::string(name_of(skipped.variant)), "not measured: " + skipped.why, "",
                          "", "", "", "", ""});
  }
  page.tables.push_back(std::move(table));
  return render_page(page);
}

std::string fit_page(const FitReport& report) {
  Page page;
  page.title = fmt::format("{}, fitted to {}", report.base.name, report.device);
  page.words = {fmt::format("{} points from {}. Residuals are relative; their root mean square is "
                            "{:.2f} %.",
                            report.points.size(), report.path, 100 * report.fit.rms)};
  PageTable values{"The fitted machine", {{"parameter", "standing", "value", "from", "to"}}, 2};
  for (const gpu::Estimate& estimate : report.fit.estimates) {
    const auto& info = gpu::parameters()[static_cast<std::size_t>(estimate.parameter)];
    values.rows.push_back({fmt::format("{}: {}", info.name, info.meaning),
                           std::string(name_of(estimate.standing)), short_number(estimate.value),
                           optional_number(estimate.low), optional_number(estimate.high)});
  }
  PageTable table{"All points",
                  {{"algorithm", "parameters", "time units", "measured", "fitted", "residual"}},
                  2};
  const std::vector<PictureLine> empty = {{"measured", "measured", {}}, {"fitted", "model", {}}};
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const FitReportPoint& point = report.points[i];
    const gpu::FittedPoint& fitted = report.fit.points[i];
    table.rows.push_back({point.curve, gpu::parameters_text(point.parameters),
                          short_number(fitted.units), short_time(point.measured_ns),
                          short_time(fitted.ns), fmt::format("{:.2f} %", 100 * fitted.relative)});
    if (!point.size) continue;
    Picture& picture = picture_of(page.pictures, point.curve, empty);
    picture.lines[0].points.emplace_back(*point.size, point.measured_ns);
    if (fitted.ns > 0) picture.lines[1].points.emplace_back(*point.size, fitted.ns);
  }
  page.tables = {std::move(values), std::move(table)};
  return render_page(page);
}

} // namespace memlane
