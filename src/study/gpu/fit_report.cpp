#include "words.hpp"

#include "memlane/machine/machine.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/study/gpu/report.hpp"

#include <fmt/format.h>

namespace memlane {
namespace {

using schema::Json;

constexpr const char* curve_meaning = "the algorithm, over its sizes";
constexpr const char* parameters_meaning = "the program's parameters";

const Columns<measure::LeftOutProgram>& left_out_columns() {
  using G = measure::LeftOutProgram;
  static const Columns<G> columns({
      {Shown{"program"}, "program", "whose points are left out", &G::program},
      {Shown{"points", Align::right}, "points", "of it", &G::points},
      Column<G>(Shown{"error in a fit to the others", Align::right}, "error",
                "root mean square of the relative errors with which the other programs predict it; "
                "null: too few others",
                &G::rms_error)
          .showing([](const G& left) {
            return left.rms_error ? percent_text(*left.rms_error) : "too few others";
          }),
  });
  return columns;
}

std::string fit_table(const FitReport& report) {
  const measure::Fit& fit = report.fit();
  std::string text =
      fmt::format("{} points of {}, from machine {}\n\n{}", report.measured.points.size(),
                  on_one_line(report.device.name, 80), on_one_line(report.base.name, 80),
                  estimate_columns().text(fit.estimates).text());
  for (const std::string& warning : fit_warnings(report))
    text += "\nWARNING: " + on_one_line(warning, 400) + "\n";
  if (const std::string condition = intervals_note(fit); !condition.empty())
    text += "\n" + condition + "\n";
  text += fmt::format("\nresiduals: root mean square {}, {} degrees of freedom",
                      percent_text(fit.rms), fit.degrees_of_freedom);
  GroupedTable residuals{
      fit_point_columns().heading_cells(), fit_point_columns().text_aligns(), {}};
  for (const PointOfFit& point : fit_points(report))
    residuals.rows.push_back(fit_point_columns().text_cells(point));
  for (const measure::UnusedPoint& unused : report.measured.unused)
    residuals.rows.push_back(unused_cells(unused));
  text += "\n\n" + residuals.text();
  if (!fit.left_out.empty()) text += '\n' + left_out_columns().text(fit.left_out).text();
  return text;
}

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

const schema::Table<FitReport>& fit_table_of_json() {
  using F = FitReport;
  static const schema::Table<F> table({
      {"tool", tool_schema(), [](const F& f) { return tool_json(f.version); }},
      {"measurements", "the file", &F::path},
      {"device", "the GPU", [](const F& f) { return f.device.name; }},
      {"parameters", estimate_columns().json(), "a parameter", "of the machine",
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
      {"degrees_of_freedom", schema::integer("points less estimated parameters"),
       [](const F& f) { return f.fit().degrees_of_freedom; }},
      {"left_out", left_out_columns().json(), "a program", "each program in turn",
       [](const F& f) { return f.fit().left_out; }},
      {"machine", effective_machine_schema(), [](const F& f) { return to_json(f.machine); }},
  });
  return table;
}

} // namespace

const Columns<measure::Estimate>& estimate_columns() {
  using E = measure::Estimate;
  using C = Column<E>;
  const auto info = [](const E& e) -> const measure::ParameterInfo& {
    return measure::info_of(e.parameter);
  };
  Json bounds = schema::list(schema::real("least and greatest"), "of the search");
  bounds["minItems"] = bounds["maxItems"] = 2;
  const auto in_table = [](Shown shown, auto text) { return table_column<E>(shown, text); };
  ColumnList<E> columns = {
      C(Shown{"parameter"}, "name", "as --fix and --free take it",
        [=](const E& e) { return info(e).name; }),
      in_table({"value", Align::right}, [](const E& e) { return short_number(e.value); }),
      in_table({""}, [=](const E& e) { return std::string(info(e).unit); }),
      in_table({"95% confidence"},
               [](const E& e) {
                 return e.low ? short_number(*e.low) + " to " + short_number(*e.high) : "";
               }),
      in_table({""},
               [](const E& e) {
                 return std::string(e.status == measure::EstimateStatus::free ? ""
                                                                              : name_of(e.status));
               }),
      in_table({""}, [=](const E& e) { return std::string(info(e).meaning); })};
  for (const auto& member : estimate_members()) columns.push_back(AnyColumn(member));
  columns.push_back(C("bounds", bounds, [=](const E& e) {
    return Json{info(e).lower, info(e).upper};
  }));
  static const Columns<E> all(std::move(columns));
  return all;
}

std::vector<std::string> unused_cells(const measure::UnusedPoint& unused) {
  std::vector<std::string> cells(fit_point_columns().heading_cells().size());
  cells[0] = on_one_line(unused.curve, 60);
  cells[1] = on_one_line(measure::parameters_text(unused.measured.parameters), 60);
  cells.back() = on_one_line(unused.why, 200);
  return cells;
}

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

std::string intervals_note(const measure::Fit& fit) {
  std::string held;
  bool intervals = false;
  for (const measure::Estimate& estimate : fit.estimates) {
    intervals = intervals || estimate.low.has_value();
    if (estimate.status == measure::EstimateStatus::fixed ||
        estimate.status == measure::EstimateStatus::unfinished)
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
        fmt::format("stopped before the end: the best so far, from {}; what is marked '{}' may "
                    "change",
                    counted(static_cast<std::int64_t>(report.measured.points.size()), "point"),
                    name_of(measure::EstimateStatus::unfinished)));
  return warnings;
}

Json fit_schema() {
  return schema::document("The result of memlane gpu fit",
                          fit_table_of_json().schema("what --format json prints"));
}

Json fit_line_schema() {
  return line_document("gpu fit", fit_point_columns().json().schema("a fitted point"));
}

std::string render_fit(const FitReport& report, Format format) {
  return fit_point_columns().text_in(
      format, "Times fitted to " + report.device.name, fit_points(report),
      [&] { return fit_table(report); }, [&] { return fit_table_of_json().json(report); });
}

} // namespace memlane
