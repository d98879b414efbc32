// Measurements of a GPU beside a model, and machines fitted to them, as people and programs read
// them.
#pragma once

#include "memlane/show/run_report.hpp"
#include "memlane/study/gpu/compare.hpp"
#include "memlane/study/gpu/fit.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace memlane {

/// Any of the formats, ending with a line end. csv and jsonl: a point a line.
std::string render_measured(const measure::MeasuredComparison& comparison, std::string_view version,
                            Format format);

/// The schemas of `--format json` and of a line of `--format jsonl`.
nlohmann::ordered_json measured_schema();
nlohmann::ordered_json measured_line_schema();

struct FitReport {
  std::string version; ///< of the tool
  std::string path;    ///< of the measurements
  measure::Device device;
  MachineSpec base, machine; ///< as it was given; with the fitted values
  measure::MeasuredFit measured;

  const measure::Fit& fit() const { return measured.fit; }
};

/// What a reader must know before the numbers: parameters that no point depends on, or that the
/// points do not tell apart, and work that was stopped. A sentence each.
std::vector<std::string> fit_warnings(const FitReport& report);

/// `table`, `json`, or `csv` and `jsonl` with a point a line.
std::string render_fit(const FitReport& report, Format format);

/// What the intervals do not say: parameters that stand at a value the points did not choose.
std::string intervals_note(const measure::Fit& fit);
nlohmann::ordered_json fit_schema();
nlohmann::ordered_json fit_line_schema();

/// One self-contained page: predicted against measured, residuals, a roofline, the worst ten, a
/// picture for each curve, all numbers below.
std::string measured_page(const measure::MeasuredComparison& comparison);
std::string fit_page(const FitReport& report);

} // namespace memlane
