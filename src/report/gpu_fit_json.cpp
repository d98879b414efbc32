// A machine fitted to measurements, as JSON.
#include "gpu_json.hpp"
#include "gpu_words.hpp"

#include "memlane/config/machine.hpp"
#include "memlane/report/gpu_report.hpp"

namespace memlane {
namespace {

using schema::count;
using schema::Json;
using schema::text;

Json fit_curve_schema() { return text("the algorithm, over its sizes"); }
Json fit_parameters_schema() { return text("the program's parameters"); }

} // namespace

std::vector<PointOfFit> fit_points(const FitReport& report) {
  std::vector<PointOfFit> points;
  for (std::size_t i = 0; i < report.points.size(); ++i)
    points.push_back({&report.points[i], &report.fit.points[i]});
  return points;
}

const Columns<PointOfFit>& fit_point_columns() {
  using P = PointOfFit;
  using C = Column<P>;
  const auto number = [](double (*get)(const P&)) {
    return [get](const P& p) { return short_number(get(p)); };
  };
  static const Columns<P> columns({
      C("curve", fit_curve_schema(), [](const P& p) { return p.point->curve; }).shown("algorithm"),
      C("parameters", fit_parameters_schema(),
        [](const P& p) {
          return measure::parameters_text(p.point->parameters);
        }).shown("parameters"),
      C("time", real_schema("time units at the fitted values"),
        [](const P& p) {
          return real_json(p.fitted->units);
        }).shown("time units", Align::right, number([](const P& p) { return p.fitted->units; })),
      C("priced_ns", real_schema("measured, of what the model prices (ns)"),
        [](const P& p) {
          return real_json(p.point->measured_ns);
        }).shown("measured ns", Align::right, number([](const P& p) {
                   return p.point->measured_ns;
                 })),
      C("fitted_ns", real_schema("of the fitted machine (ns)"),
        [](const P& p) {
          return real_json(p.fitted->ns);
        }).shown("fitted ns", Align::right, number([](const P& p) { return p.fitted->ns; })),
      C("relative_residual", real_schema("(fitted - measured) / measured"),
        [](const P& p) { return real_json(p.fitted->relative_residual); })
          .shown("residual", Align::right,
                 [](const P& p) { return percent_text(p.fitted->relative_residual); }),
      C("weight", real_schema("with which it counted, 1 at most"),
        [](const P& p) { return real_json(p.fitted->weight); })
          .shown(
              "weight", Align::right,
              [](const P& p) { return fmt::format("{:.2f}", p.fitted->weight); }, ShownIn::text),
      table_column<P>(
          "", [](const P&) { return ""; }, ShownIn::text),
  });
  return columns;
}

namespace {

const schema::Table<UnfittedPoint>& unfitted_table() {
  using P = UnfittedPoint;
  static const schema::Table<P> table({
      {"curve", fit_curve_schema(), [](const P& p) { return p.curve; }},
      {"parameters", fit_parameters_schema(),
       [](const P& p) { return measure::parameters_text(p.parameters); }},
      {"why", text("why it is not used"), [](const P& p) { return p.why; }},
  });
  return table;
}

const schema::Table<measure::LeftOutProgram>& left_out_table() {
  using G = measure::LeftOutProgram;
  static const schema::Table<G> table({
      {"program", text("whose points are left out"), [](const G& g) { return g.program; }},
      {"points", count("of it"), [](const G& g) { return g.points; }},
      {"error",
       real_schema("root mean square of the relative errors with which the other programs predict "
                   "it; null: too few others"),
       [](const G& g) { return g.rms_error ? real_json(*g.rms_error) : Json(nullptr); }},
  });
  return table;
}

const schema::Table<measure::Estimate>& fitted_parameter_table() {
  using E = measure::Estimate;
  static const schema::Table<E> table = [] {
    schema::Table<E> all({{"name", text("as --fix and --free take it"),
                           [](const E& e) { return measure::info_of(e.parameter).name; }}});
    Json bounds = schema::list(schema::real("least and greatest"), "of the search");
    bounds["minItems"] = bounds["maxItems"] = 2;
    return all.add(estimate_members()).add({{"bounds", bounds, [](const E& e) {
                                               return Json{measure::info_of(e.parameter).lower,
                                                           measure::info_of(e.parameter).upper};
                                             }}});
  }();
  return table;
}

const schema::Table<FitReport>& fit_table_of_json() {
  using F = FitReport;
  static const schema::Table<F> table({
      {"tool", tool_schema(), [](const F& f) { return tool_json(f.version); }},
      {"measurements", text("the file"), [](const F& f) { return f.path; }},
      {"device", text("the GPU"), [](const F& f) { return f.device; }},
      {"parameters", schema::list(fitted_parameter_table().schema("a parameter"), "of the machine"),
       [](const F& f) { return fitted_parameter_table().json_of_all(f.fit.estimates); }},
      {"points", schema::list(fit_point_columns().json().schema("a point"), "that were fitted"),
       [](const F& f) { return fit_point_columns().json().json_of_all(fit_points(f)); }},
      {"unused", schema::list(unfitted_table().schema("a point"), "that were not used"),
       [](const F& f) { return unfitted_table().json_of_all(f.unused); }},
      {"stopped", schema::boolean("the work was ended before its end: the best so far"),
       [](const F& f) { return f.fit.stopped; }},
      {"warnings", schema::list(text("a sentence"), "parameters without points, work that stopped"),
       [](const F& f) { return Json(fit_warnings(f)); }},
      {"intervals_note", text("what the intervals do not say; empty: nothing"),
       [](const F& f) { return intervals_note(f.fit); }},
      {"rms", real_schema("root mean square of the relative residuals"),
       [](const F& f) { return real_json(f.fit.rms); }},
      {"r_squared", real_schema("null: all measured times are the same"),
       [](const F& f) { return f.fit.r_squared ? real_json(*f.fit.r_squared) : Json(nullptr); }},
      {"degrees_of_freedom", schema::integer("points less estimated parameters"),
       [](const F& f) { return f.fit.degrees_of_freedom; }},
      {"left_out", schema::list(left_out_table().schema("a program"), "each program in turn"),
       [](const F& f) { return left_out_table().json_of_all(f.fit.left_out); }},
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
