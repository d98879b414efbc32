// Measurements beside a model.
#include "words.hpp"

#include "memlane/machine/machine.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/study/gpu/report.hpp"

#include <fmt/format.h>

namespace memlane {
namespace {

using schema::Json;
using Columned = measure::ComparedPoint;

Json variant_schema() {
  return schema::word(schema::names_up_to(measure::Variant::executable), "whose code was measured");
}

/// The getter of a member of the measured point.
template <class V>
auto measured(V measure::MeasuredPoint::*member) {
  return [member](const Columned& p) -> const V& { return p.measured.*member; };
}

Json measured_parameters_json(const Columned& p) {
  Json parameters = Json::object();
  for (const auto& [name, value] : p.measured.parameters) parameters[name] = value;
  return parameters;
}

std::vector<std::string> measured_replacements(const Columned& p) {
  std::vector<std::string> replaced;
  for (const auto& [option, text] : p.measured.replaced)
    replaced.push_back("--" + option + " " + text);
  return replaced;
}

/// Which kernel was measured.
ColumnList<Columned> measured_kernel_columns() {
  using C = Column<Columned>;
  using measure::MeasuredPoint;
  return {
      C("program", "its name", measured(&MeasuredPoint::program)),
      C("sha256", sha256_schema(), measured(&MeasuredPoint::sha256)),
      C(Shown{"algorithm"}, "curve", "the algorithm, over its sizes", &Columned::curve),
      C::json("parameters", schema::map(schema::text("as -D takes it"), "the program's parameters"),
              measured_parameters_json),
      csv_column<Columned>(
          "parameters",
          [](const Columned& p) { return measure::parameters_text(p.measured.parameters); },
          Shown{"parameters"}),
      C(Shown{"kernel", Align::left, nullptr, ShownIn::text}, "variant", variant_schema(),
        measured(&MeasuredPoint::variant)),
      C::json("replaced",
              schema::list(schema::text("an option and its text"), "replaced parts of the program"),
              measured_replacements),
      C::json("seed", "of random numbers", measured(&MeasuredPoint::seed)),
      C("problem", "what it computes; only kernels of one problem are ranked", &Columned::problem),
      C("fmad", "whether a product and a sum have one rounding", measured(&MeasuredPoint::fmad)),
      C("device", "the GPU", [](const Columned& p) { return p.measured.device.name; }),
  };
}

/// Heads numbers that not every file of measurements has.
Shown in_some(std::string heading) {
  return {.heading = std::move(heading),
          .align = Align::right,
          .number = short_number,
          .where = ShownIn::text,
          .hide_empty = true};
}

/// How long it took, and how long the model says.
ColumnList<Columned> measured_time_columns() {
  using C = Column<Columned>;
  using measure::MeasuredPoint;
  const auto right = Align::right;
  return {
      C(Shown{"time units", right}, "time", "time units, the machine's launch cost included",
        &Columned::time),
      C("median_ns", "measured by events (ns)", measured(&MeasuredPoint::median_ns)),
      C("back_to_back_ns", "a run among many without a pause (ns)",
        measured(&MeasuredPoint::back_to_back_ns)),
      C("priced_clock",
        schema::word(schema::names_up_to(measure::PricedClock::block), "what measured priced_ns"),
        measured(&MeasuredPoint::priced_clock)),
      C(Shown{"predicted ns", right, short_number}, "predicted_ns",
        "of what the model prices, at the fitted costs (ns)", &Columned::predicted_ns),
      C(Shown{"measured ns", right, short_number, ShownIn::text}, "priced_ns",
        "measured, of what the model prices (ns)", measured(&MeasuredPoint::priced_ns)),
      table_column<Columned>(
          Shown{"measured ns", right, nullptr, ShownIn::paper},
          [](const Columned& p) { return fmt::format("{}", p.measured.priced_ns); }),
      C(Shown{"error", right, percent_text}, "relative_error", "(predicted - measured) / measured",
        &Columned::error),
      C(in_some("of emitted"), "of_emitted",
        "its time as a multiple of the fastest emitted kernel's", &Columned::ratio_to_emitted),
      C(Shown{"ns/unit", right, short_number, ShownIn::text}, "ns_per_unit",
        "measured, a time unit (ns)", &Columned::ns_per_unit),
      C(in_some("cycles"), "cycles", "of the GPU's clock inside the kernels, the median",
        &Columned::cycles),
      C(in_some("cycles/unit"), "cycles_per_unit", "a time unit", &Columned::cycles_per_unit),
      C(Shown{.heading = "", .where = ShownIn::text, .width = 200}, "why_not", "why it has no time",
        [](const Columned& p) { return if_text(p.why_not); }),
  };
}

using measure::ComparedPoint;
using measure::MeasuredComparison;

std::string measured_table(const MeasuredComparison& comparison) {
  const Columns<Columned> columns = compared_point_columns().without_empty(comparison.points);
  GroupedTable table{columns.heading_cells(), columns.text_aligns(), {}};
  for (const ComparedPoint& point : comparison.points)
    table.rows.push_back(columns.text_cells(point));
  for (const measure::SkippedPoint& skipped : comparison.skipped)
    table.rows.push_back(skipped_cells(skipped, table.headings.size()));
  const std::string device =
      comparison.points.empty() ? "" : comparison.points.front().measured.device.name;
  std::string text = hanging_lines(fmt::format("device {}, machine {}", on_one_line(device, 80),
                                               on_one_line(comparison.machine.name, 80)),
                                   2) +
                     '\n' + table.text();
  if (comparison.costs) text += "\n" + hanging_lines(costs_sentence(*comparison.costs), 2);
  for (const OrderFinding& finding : order_findings(comparison)) {
    text += fmt::format("\n{}\n", finding.question);
    for (const std::string& sentence : finding.sentences)
      text += "  " + hanging_lines(on_one_line(sentence, 400), 4);
  }
  return text;
}

} // namespace

const Columns<Columned>& compared_point_columns() {
  static const Columns<Columned> columns(measured_kernel_columns(), measured_time_columns());
  return columns;
}

std::vector<std::string> skipped_cells(const measure::SkippedPoint& skipped, std::size_t columns) {
  std::vector<std::string> cells(columns);
  cells[0] = on_one_line(skipped.program, 60);
  cells[1] = on_one_line(measure::parameters_text(skipped.parameters), 60);
  cells[2] = name_of(skipped.variant);
  cells.back() = "not measured: " + on_one_line(skipped.why, 200);
  return cells;
}

namespace {

/// None for an algorithm without n.
std::optional<double> if_sized(double size) {
  return size > 0 ? std::optional(size) : std::nullopt;
}
constexpr const char* size_meaning = "n; null: the algorithm has none";

Json pair_schema(const char* item, std::string_view meaning) {
  Json pair = schema::list(schema::schema_of_type<double>(item), meaning);
  pair["minItems"] = pair["maxItems"] = 2;
  return pair;
}

const schema::Table<measure::SizeOrder>& size_order_table() {
  using S = measure::SizeOrder;
  static const schema::Table<S> table({
      {"problem", "what the kernels compute", &S::problem},
      {"n", size_meaning, [](const S& s) { return if_sized(s.size); }},
      {"tau_b", "of this size", [](const S& s) { return tau_b(s.pairs); }},
      {"curves", schema::list(schema::text("an algorithm"), "that are ranked"), &S::curves},
  });
  return table;
}

const schema::Table<measure::Inversion>& inversion_table() {
  using I = measure::Inversion;
  static const schema::Table<I> table({
      {"n", size_meaning, [](const I& i) { return if_sized(i.first_point.size); }},
      {"first", "the algorithm that the model has first", &I::first},
      {"second", "the algorithm that was faster", &I::second},
      {"predicted_ns", pair_schema("ns", "of the first and the second"),
       [](const I& i) {
         return Json{i.first_point.model, i.second_point.model};
       }},
      {"priced_ns", pair_schema("ns", "as measured, of the first and the second"),
       [](const I& i) {
         return Json{i.first_point.measured, i.second_point.measured};
       }},
      {"within_spread", "whether the middle halves of the samples overlap", &I::within_spread},
  });
  return table;
}

const schema::Table<measure::Crossing>& crossing_table() {
  using C = measure::Crossing;
  const Json size = schema::schema_of_type<double>("n");
  static const schema::Table<C> table({
      {"first", "an algorithm", &C::first},
      {"second", "another", &C::second},
      {"n", pair_schema("n", "the least and the greatest common size"),
       [](const C& c) {
         return Json{c.least, c.greatest};
       }},
      {"model", schema::list(size, "where they cross in the model"), &C::model},
      {"measured", schema::list(size, "where they cross as measured"), &C::measured},
  });
  return table;
}

/// Of kernels without a size.
schema::Members<measure::Ordering> order_members() {
  using O = measure::Ordering;
  return {
      {"tau_b", "Kendall's: 1 the measured order, -1 the reverse",
       [](const O& o) { return tau_b(o.pairs); }},
      {"pairs", "of kernels that were ranked", [](const O& o) { return o.pairs.pairs(); }},
      {"concordant", "pairs in the measured order", [](const O& o) { return o.pairs.concordant; }},
      {"discordant", "pairs in the reverse order", [](const O& o) { return o.pairs.discordant; }},
      {"sizes", size_order_table(), "a size", "by problem and size", &O::sizes},
      {"inversions", inversion_table(), "a pair", "pairs in the wrong order", &O::inversions},
  };
}

const schema::Table<measure::Ordering>& kernel_ordering_table() {
  static const schema::Table<measure::Ordering> table(order_members());
  return table;
}

const schema::Table<measure::Ordering>& ordering_table() {
  static const schema::Table<measure::Ordering> table = [] {
    auto members = order_members();
    members.push_back({"crossings", crossing_table(), "a pair", "pairs of curves that cross",
                       &measure::Ordering::crossings});
    return schema::Table<measure::Ordering>(std::move(members));
  }();
  return table;
}

const schema::Table<measure::Estimate>& cost_table() {
  static const schema::Table<measure::Estimate> table(estimate_members());
  return table;
}

const schema::Table<measure::FittedCosts>& costs_table() {
  using C = measure::FittedCosts;
  static const schema::Table<C> table({
      {"unit_ns", cost_table(), "a time unit (ns)", &C::unit},
      {"launch_ns", cost_table(), "a launch (ns)", &C::launch},
      {"points", "that they are fitted to", &C::points},
      {"rms", "root mean square of the relative residuals", &C::rms},
  });
  return table;
}

const schema::Table<measure::SkippedPoint>& skipped_table() {
  using S = measure::SkippedPoint;
  static const schema::Table<S> table({
      {"program", "its name", &S::program},
      {"variant", variant_schema(), &S::variant},
      {"parameters", "the program's parameters",
       [](const S& s) { return measure::parameters_text(s.parameters); }},
      {"why", "why it was not measured", &S::why},
  });
  return table;
}

/// With the version of the tool.
using VersionedComparison = PartOf<measure::MeasuredComparison, std::string_view>;

const schema::Table<VersionedComparison>& measured_table_of_json() {
  using C = measure::MeasuredComparison;
  static const schema::Table<VersionedComparison> table({
      {"tool", tool_schema(), [](const VersionedComparison& m) { return tool_json(m.whole); }},
      {"measurements", "the file", &C::path},
      {"machine", effective_machine_schema(),
       [](const VersionedComparison& m) { return to_json(m->machine); }},
      {"points", compared_point_columns().json(), "a point", "by curve and size", &C::points},
      {"skipped", skipped_table(), "a point", "points that were not measured", &C::skipped},
      {"costs", costs_table(),
       "with which the machine comes nearest to what is fitted; null: none has a time", &C::costs},
      {"stopped", "whether it was interrupted or out of time", &C::stopped},
      {"emitted", ordering_table(), "whether emitted kernels have the measured order", &C::emitted},
      {"hand_written", ordering_table(), "the same of kernels written by hand", &C::hand_written},
      {"executables", kernel_ordering_table(),
       "the same of the kernels of each executable, by their mean times", &C::executables},
  });
  return table;
}

} // namespace

schema::Members<measure::Estimate> estimate_members() {
  using E = measure::Estimate;
  return {
      {"value", "the best", &E::value},
      {"low", "of the interval of 95 % confidence; null: there is none", &E::low},
      {"high", "of the interval; null: there is none", &E::high},
      {"standing", schema::text("free: an estimate with an interval; else why it is none"),
       &E::status},
  };
}

Json measured_schema() {
  return schema::document("The result of memlane gpu compare",
                          measured_table_of_json().schema("what --format json prints"));
}

Json measured_line_schema() {
  return line_document("gpu compare", compared_point_columns().json().schema("a measured point"));
}

std::string render_measured(const MeasuredComparison& comparison, std::string_view version,
                            Format format) {
  return compared_point_columns().text_in(
      format, "Measured times beside those of " + comparison.machine.name, comparison.points,
      [&] { return measured_table(comparison); },
      [&] {
        return measured_table_of_json().json({comparison, version});
      });
}

} // namespace memlane
