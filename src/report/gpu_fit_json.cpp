// A machine fitted to measurements, as JSON.
#include "gpu_json.hpp"
#include "gpu_words.hpp"

#include "memlane/config/machine.hpp"
#include "memlane/report/gpu_report.hpp"

namespace memlane {
namespace {

using schema::Json;

constexpr const char* curve_meaning = "the algorithm, over its sizes";
constexpr const char* parameters_meaning = "the program's parameters";

} // namespace

std::vector<PointOfFit> fit_points(const FitReport& report) {
  std::vector<PointOfFit> points;
  const measure::MeasuredFit& all = report.measured;
  for (std::size_t i = 0; i < all.points.size(); ++i)
    points.push_back({all.points[i], all.curves[i], all.fit.points[i]});
  return points;
}

const Columns<PointOfFit>& fit_point_columns() {
  using P = PointOfFit;
  using C = Column<P>;
  const auto right = Align::right;
  static const Columns<P> columns({
      C(Shown{"algorithm"}, "curve", curve_meaning, [](const P& p) { return p.curve; }),
      C(Shown{"parameters"}, "parameters", parameters_meaning,
        [](const P& p) { return measure::parameters_text(p.measured.parameters); }),
      C(Shown{"time units", right, short_number}, "time", "time units at the fitted values",
        [](const P& p) { return p.fitted.units; }),
      C(Shown{"measured ns", right, short_number}, "priced_ns",
        "measured, of what the model prices (ns)", [](const P& p) { return p.measured.priced_ns; }),
      C(Shown{"fitted ns", right, short_number}, "fitted_ns", "of the fitted machine (ns)",
        [](const P& p) { return p.fitted.ns; }),
      C(Shown{"residual", right, percent_text}, "relative_residual",
        "(fitted - measured) / measured", [](const P& p) { return p.fitted.relative_residual; }),
      C(Shown{"weight", right, [](double weight) { return fmt::format("{:.2f}", weight); },
              ShownIn::text},
        "weight", "with which it counted, 1 at most", [](const P& p) { return p.fitted.weight; }),
      table_column<P>(Shown{"", Align::left, nullptr, ShownIn::text}, [](const P&) { return ""; }),
  });
  return columns;
}

namespace {

const schema::Table<measure::UnusedPoint>& unfitted_table() {
  using P = measure::UnusedPoint;
  static const schema::Table<P> table({
      {"curve", curve_meaning, &P::curve},
      {"parameters", parameters_meaning,
       [](const P& p) { return measure::parameters_text(p.measured.parameters); }},
      {"why", "why it is not used", &P::why},
  });
  return table;
}

const schema::Table<measure::LeftOutProgram>& left_out_table() {
  using G = measure::LeftOutProgram;
  static const schema::Table<G> table({
      {"program", "whose points are left out", &G::program},
      {"points", "of it", &G::points},
      {"error",
       "root mean square of the relative errors with which the other programs predict it; null: "
       "too few others",
       &G::rms_error},
  });
  return table;
}

const schema::Table<measure::Estimate>& fitted_parameter_table() {
  using E = measure::Estimate;
  Json bounds = schema::list(schema::real("least and greatest"), "of the search");
  bounds["minItems"] = bounds["maxItems"] = 2;
  static const schema::Table<E> table(
      {{"name", "as --fix and --free take it",
        [](const E& e) { return measure::info_of(e.parameter).name; }}},
      estimate_members(),
      {{"bounds", bounds, [](const E& e) {
          return Json{measure::info_of(e.parameter).lower, measure::info_of(e.parameter).upper};
        }}});
  return table;
}

const schema::Table<FitReport>& fit_table_of_json() {
  using F = FitReport;
  static const schema::Table<F> table({
      {"tool", tool_schema(), [](const F& f) { return tool_json(f.version); }},
      {"measurements", "the file", &F::path},
      {"device", "the GPU", [](const F& f) { return f.device.name; }},
      {"parameters", fitted_parameter_table(), "a parameter", "of the machine",
       [](const F& f) { return f.fit().estimates; }},
      {"points", fit_point_columns().json(), "a point", "that were fitted", fit_points},
      {"unused", unfitted_table(), "a point", "that were not used",
       [](const F& f) { return f.measured.unused; }},
      {"stopped", "the work was ended before its end: the best so far",
       [](const F& f) { return f.fit().stopped; }},
      {"warnings",
       schema::list(schema::text("a sentence"), "parameters without points, work that stopped"),
       fit_warnings},
      {"intervals_note", "what the intervals do not say; empty: nothing",
       [](const F& f) { return intervals_note(f.fit()); }},
      {"rms", "root mean square of the relative residuals", [](const F& f) { return f.fit().rms; }},
      {"r_squared", "null: all measured times are the same",
       [](const F& f) { return f.fit().r_squared; }},
      {"degrees_of_freedom", schema::integer("points less estimated parameters"),
       [](const F& f) { return f.fit().degrees_of_freedom; }},
      {"left_out", left_out_table(), "a program", "each program in turn",
       [](const F& f) { return f.fit().left_out; }},
      {"machine", effective_machine_schema(), [](const F& f) { return to_json(f.machine); }},
  });
  return table;
}

} // namespace

Json fit_json(const FitReport& report) { return fit_table_of_json().json(report); }

Json fit_schema() {
  return schema::document("The result of memlane gpu fit",
                          fit_table_of_json().schema("what --format json prints"));
}

Json fit_line_schema() {
  return line_document("gpu fit", fit_point_columns().json().schema("a fitted point"));
}

} // namespace memlane
