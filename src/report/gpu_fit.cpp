#include "gpu_json.hpp"
#include "gpu_words.hpp"

#include "memlane/config/machine.hpp"
#include "memlane/report/gpu_report.hpp"
#include "memlane/report/json_parts.hpp"
#include "memlane/report/paper_table.hpp"
#include "memlane/report/text_table.hpp"

#include <fmt/format.h>

namespace memlane {
namespace {

std::string interval_text(const measure::Estimate& estimate) {
  if (!estimate.low) return "";
  return fmt::format("{} to {}", short_number(*estimate.low), short_number(*estimate.high));
}

std::string estimates_table(const measure::Fit& fit) {
  TextTable table({Align::left, Align::right, Align::left, Align::left, Align::left, Align::left});
  table.add({"parameter", "value", "", "95% confidence", "", ""});
  for (const measure::Estimate& estimate : fit.estimates) {
    const auto& info = measure::info_of(estimate.parameter);
    const bool estimated = estimate.status == measure::EstimateStatus::free;
    table.add({std::string(info.name), short_number(estimate.value), std::string(info.unit),
               interval_text(estimate), estimated ? "" : std::string(name_of(estimate.status)),
               std::string(info.meaning)});
  }
  return table.text();
}

std::string residuals_table(const FitReport& report) {
  TextTable table = fit_point_columns().text(fit_points(report));
  for (const measure::UnusedPoint& point : report.measured.unused) {
    table.add({on_one_line(point.curve, 60),
               on_one_line(measure::parameters_text(point.measured.parameters), 60), "", "", "", "",
               "", on_one_line(point.why, 200)});
  }
  return table.text();
}

std::string fit_table(const FitReport& report) {
  const measure::Fit& fit = report.fit();
  std::string text = fmt::format("{} points of {}, from machine {}\n\n{}",
                                 report.measured.points.size(), on_one_line(report.device.name, 80),
                                 on_one_line(report.base.name, 80), estimates_table(fit));
  for (const std::string& warning : fit_warnings(report))
    text += "\nWARNING: " + on_one_line(warning, 400) + "\n";
  if (const std::string condition = intervals_note(fit); !condition.empty())
    text += "\n" + condition + "\n";
  text += fmt::format("\nresiduals: root mean square {}, {} degrees of freedom",
                      percent_text(fit.rms), fit.degrees_of_freedom);
  if (fit.r_squared) text += fmt::format(", R² {:.5f}", *fit.r_squared);
  text += "\n\n" + residuals_table(report);
  if (fit.left_out.empty()) return text;
  TextTable table({Align::left, Align::right, Align::right});
  table.add({"program", "points", "error in a fit to the others"});
  for (const measure::LeftOutProgram& left : fit.left_out) {
    table.add({on_one_line(left.program, 60), std::to_string(left.points),
               left.rms_error ? percent_text(*left.rms_error) : "too few others"});
  }
  return text + '\n' + table.text();
}

} // namespace

std::string intervals_note(const measure::Fit& fit) {
  std::string held;
  bool intervals = false;
  for (const measure::Estimate& estimate : fit.estimates) {
    intervals = intervals || estimate.low.has_value();
    const bool whole = measure::info_of(estimate.parameter).is_integer;
    if (estimate.status == measure::EstimateStatus::free ||
        estimate.status == measure::EstimateStatus::no_influence ||
        (estimate.status == measure::EstimateStatus::unfinished && !whole))
      continue;
    held += (held.empty() ? "" : ", ") + std::string(measure::info_of(estimate.parameter).name);
  }
  if (held.empty() || !intervals) return "";
  return fmt::format("the intervals assume that {} have no error; if they have, the values are "
                     "less certain",
                     held);
}

std::vector<std::string> fit_warnings(const FitReport& report) {
  std::vector<std::string> warnings;
  std::string mixed;
  for (const measure::Estimate& estimate : report.fit().estimates) {
    const auto& info = measure::info_of(estimate.parameter);
    if (estimate.status == measure::EstimateStatus::no_influence)
      warnings.push_back(fmt::format("no point depends on {0}, the {1}: it is not fitted and stays "
                                     "at {2} ({3}). Measure programs that use it, or say --fix "
                                     "{0}={2}",
                                     info.name, info.meaning, short_number(estimate.value),
                                     info.unit));
    if (estimate.status == measure::EstimateStatus::undetermined)
      mixed += (mixed.empty() ? "" : ", ") + std::string(info.name);
  }
  if (!mixed.empty())
    warnings.push_back(fmt::format("the points do not tell {} apart from the others: these values "
                                   "are one choice of many. Measure more programs and sizes, or "
                                   "hold one with --fix",
                                   mixed));
  if (report.fit().stopped)
    warnings.push_back(
        fmt::format("stopped before the end: the best so far, from {}; what is "
                    "marked '{}' may change, and programs may be missing where "
                    "each is fitted by the others",
                    counted(static_cast<std::int64_t>(report.measured.points.size()), "point"),
                    name_of(measure::EstimateStatus::unfinished)));
  return warnings;
}

std::string render_fit(const FitReport& report, Format format) {
  switch (format) {
  case Format::table: return fit_table(report);
  case Format::csv: return fit_point_columns().csv(fit_points(report));
  case Format::markdown:
  case Format::latex:
    return paper_text(
        {fit_point_columns().paper("Times fitted to " + report.device.name, fit_points(report))},
        format);
  case Format::json: return json_text(fit_json(report), 2);
  case Format::jsonl: break;
  }
  return json_lines(fit_point_columns().json(), fit_points(report));
}

} // namespace memlane
