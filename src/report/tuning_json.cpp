// A tuning as JSON, with its schema.
#include "part_of.hpp"
#include "tuning_text.hpp"

#include "memlane/report/json_parts.hpp"
#include "memlane/report/stored_rows.hpp"

#include <nlohmann/json.hpp>

namespace memlane {

using schema::Json;
using sweep::TunedAxis;

namespace {

/// A row, a machine, a line: with the machine and the report that they belong to.
struct OnMachine {
  const TuningReport& report;
  const TunedMachine& machine;
};
struct TunedRowOf {
  const TunedRow& row;
  const OnMachine& whole;
  std::optional<std::size_t> number; ///< in the machine's rows; none: the naive program's

  const TunedRow& operator*() const { return row; }
  const TunedRow* operator->() const { return &row; }
};
using TunedLineOf = PartOf<sweep::TuningLine, OnMachine>;
using TunedMachineOf = PartOf<TunedMachine, TuningReport>;

Json objective_json(const std::optional<sweep::Objective>& number) {
  if (!number) return nullptr;
  return number->whole ? Json(*number->whole) : schema::json_of_value(number->value);
}

Json tuned_values_json(const OnMachine& on, std::size_t row) {
  Json values = Json::object();
  for (std::size_t axis = 0; axis < on.report.axes.size(); ++axis)
    values[on.report.axes[axis].title] = on.report.axes[axis].values[on.machine.rows[row].at[axis]];
  return values;
}

Json tuned_values_schema(std::string_view meaning) {
  return schema::map(schema::text("as --D, --set or --layout take it"), meaning);
}

Json tuned_measures_json(const TunedRowOf& row) {
  Json counts = Json::object();
  for (std::size_t k = 0; k < row->measures.size(); ++k)
    counts[row.whole.machine.measures[k].name] = objective_json(row->measures[k]);
  return counts;
}

Json tuned_ratios_json(const TunedRowOf& row) {
  Json ratios = Json::object();
  for (std::size_t k = 0; k < row->measures.size(); ++k)
    if (const auto ratio = ratio_to_naive(row.whole.machine, *row, k))
      ratios[row.whole.machine.measures[k].name] = *ratio;
  return ratios;
}

Json objective_schema(const char* meaning) { return schema::or_null(schema::real(meaning)); }

const schema::Table<TunedRowOf>& tuned_row_table() {
  static const schema::Table<TunedRowOf> table({
      {"values", tuned_values_schema("the value of each axis; of a naive program none"),
       [](const TunedRowOf& r) {
         return r.number ? tuned_values_json(r.whole, *r.number) : Json::object();
       }},
      {"state",
       schema::word(schema::names_up_to(TunedState::missing),
                    "done: it can be chosen; check_failed: its verify failed; no_objective: the "
                    "run has not this count; failed: it cannot run; stopped: at a limit; missing: "
                    "not run"),
       [](const TunedRowOf& r) { return r->state; }},
      {"objective", objective_schema("what is compared; of several seeds the mean"),
       [](const TunedRowOf& r) { return objective_json(r->objective); }},
      {"ratio", objective_schema("the naive value's objective divided by this one"),
       [](const TunedRowOf& r) { return objective_ratio(r.whole.machine, *r); }},
      {"counts", schema::map(objective_schema("a number"), "the measures of the model, by name"),
       tuned_measures_json},
      {"ratios", schema::map(schema::real("naive/value"), "of the measures"), tuned_ratios_json},
      {"verify", schema::or_null(schema::word({"passed", "failed", "none"}, "of the run")),
       [](const TunedRowOf& r) { return if_text(r->verify); }},
      {"worth",
       schema::or_null(schema::word(
           {"best", "tie", "yes", "apart", "naive"},
           "tie: as good as the best; yes: in the range worth using; apart: nearly as good, but "
           "not beside the best; naive: the program of --naive-program")),
       [](const TunedRowOf& r) {
         const std::string_view worth =
             r.number ? worth_of(r.whole.report, r.whole.machine, *r.number) : "naive";
         return if_text(std::string(worth));
       }},
      {"reason", schema::or_null(schema::text("why it cannot be chosen")),
       [](const TunedRowOf& r) { return if_text(r->reason); }},
      {"command", schema::or_null(schema::text("that repeats the run")),
       [](const TunedRowOf& r) { return if_text(r->command); }},
  });
  return table;
}

Json tuned_trend_json(const TunedLineOf& line) {
  Json parts = Json::array();
  for (const sweep::TrendPart& part : line->trend)
    parts.push_back({{"trend", name_of(part.trend)},
                     {"first", tuned_values_json(line.whole, part.first)},
                     {"last", tuned_values_json(line.whole, part.last)}});
  return parts;
}

Json tuned_range_json(const TunedLineOf& line) {
  Json values = Json::array();
  for (std::size_t place = line->range_first; place <= line->range_last; ++place)
    values.push_back(tuned_values_json(line.whole, line->values[place]));
  return values;
}

const schema::Table<TunedLineOf>& tuned_line_table() {
  static const schema::Table<TunedLineOf> table({
      {"axis", schema::text("its name"),
       [](const TunedLineOf& l) {
         const auto& lines = l.whole.machine.tuning->lines;
         return l.whole.report.axes[static_cast<std::size_t>(&l.part - lines.data())].title;
       }},
      {"range", schema::list(tuned_values_schema("a value"), "worth using, in order"),
       tuned_range_json},
      {"trend",
       schema::list(schema::object("neighbouring values",
                                   {{"trend", schema::word(schema::names_up_to(sweep::Trend::level),
                                                           "of the objective")},
                                    {"first", tuned_values_schema("the first of them")},
                                    {"last", tuned_values_schema("the last of them")}}),
                    "from the least value to the greatest; empty: the values are no numbers"),
       tuned_trend_json},
      {"at_least", schema::boolean("the best is the least value that can be chosen"),
       [](const TunedLineOf& l) { return l->at_least; }},
      {"at_greatest", schema::boolean("the best is the greatest value that can be chosen"),
       [](const TunedLineOf& l) { return l->at_greatest; }},
  });
  return table;
}

Json tuned_rows_json(const TunedMachineOf& m, const std::vector<std::size_t>& rows) {
  Json values = Json::array();
  for (const std::size_t row : rows) values.push_back(tuned_values_json({m.whole, m.part}, row));
  return values;
}

const schema::Table<TunedMachineOf>& tuned_machine_table() {
  static const schema::Table<TuningMeasure> objective({
      {"name", "of the measure", &TuningMeasure::name},
      {"unit", schema::or_null(schema::text("of it")),
       [](const TuningMeasure& m) { return if_text(m.unit); }},
      {"meaning", "of it", &TuningMeasure::meaning},
      {"columns", schema::list(schema::text("a column"), "of stores that it is from"),
       &TuningMeasure::columns},
  });
  const auto if_tuned = [](auto get) {
    return [get](const TunedMachineOf& m) { return m->tuning ? Json(get(m)) : Json(nullptr); };
  };
  static const schema::Table<TunedMachineOf> table({
      {"machine", schema::text("as the command names it"),
       [](const TunedMachineOf& m) { return m->name; }},
      {"model", schema::text("of it"), [](const TunedMachineOf& m) { return name_of(m->model); }},
      {"objective", objective, "what is compared: the least is the best",
       [](const TunedMachineOf& m) { return m->objective; }},
      {"bound_by",
       schema::or_null(schema::text(
           "of an MMM: Corollary 1 or Theorem 1, by which the bounds of all values are")),
       [](const TunedMachineOf& m) {
         const auto bound = place_of_measure(*m, "bound");
         return bound && m->measures[*bound].rule ? Json(m->measures[*bound].rule->name)
                                                  : Json(nullptr);
       }},
      {"naive", schema::or_null(tuned_values_schema("what ratios refer to")),
       [](const TunedMachineOf& m) {
         return m->naive ? tuned_values_json({m.whole, m.part}, *m->naive) : Json(nullptr);
       }},
      {"best", schema::or_null(tuned_values_schema("the best; null: no value can be chosen")),
       if_tuned([](const TunedMachineOf& m) {
         return tuned_values_json({m.whole, m.part}, m->tuning->best);
       })},
      {"ties", schema::list(tuned_values_schema("a value"), "as good as the best"),
       [](const TunedMachineOf& m) {
         return tuned_rows_json(m, m->tuning ? m->tuning->ties : std::vector<std::size_t>());
       }},
      {"lines",
       schema::list(tuned_line_table().schema("the values of one axis"),
                    "with the other axis as at the best"),
       [](const TunedMachineOf& m) {
         Json lines = Json::array();
         const OnMachine on{m.whole, m.part};
         if (m->tuning)
           for (const sweep::TuningLine& line : m->tuning->lines)
             lines.push_back(tuned_line_table().json({line, on}));
         return lines;
       }},
      {"best_of_rows",
       schema::list(tuned_values_schema("a value"),
                    "of two axes: for each value of the first the best of the second"),
       [](const TunedMachineOf& m) {
         return tuned_rows_json(m,
                                m->tuning ? m->tuning->best_of_rows : std::vector<std::size_t>());
       }},
      {"naive_program", schema::or_null(tuned_row_table().schema("the run of --naive-program")),
       [](const TunedMachineOf& m) {
         const OnMachine on{m.whole, m.part};
         return m->other_naive ? tuned_row_table().json({*m->other_naive, on, {}}) : Json(nullptr);
       }},
      {"rows", schema::list(tuned_row_table().schema("a value"), "in the order of the command"),
       [](const TunedMachineOf& m) {
         Json rows = Json::array();
         const OnMachine on{m.whole, m.part};
         for (std::size_t k = 0; k < m->rows.size(); ++k)
           rows.push_back(tuned_row_table().json({m->rows[k], on, k}));
         return rows;
       }},
  });
  return table;
}

Json confirmations_json(const TuningReport& report) {
  Json list = Json::array();
  for (std::size_t k = 1; k < report.machines.size(); ++k) {
    const TunedMachine& other = report.machines[k];
    TuningConfirmation result;
    if (report.machines[0].tuning && other.tuning) result = confirm(report.machines[0], other);
    list.push_back({{"machine", other.name},
                    {"agrees", result.agrees},
                    {"loss", schema::json_of_value(result.loss)},
                    {"tau", schema::json_of_value(result.tau)},
                    {"common", result.common}});
  }
  return list;
}

Json confirmations_schema() {
  return schema::list(
      schema::object(
          "a machine of --confirm",
          {{"machine", schema::text("as the command names it")},
           {"agrees", schema::boolean("a best value of the one is a best value of the other")},
           {"loss",
            objective_schema("there, of taking the first machine's best value: 0.1 is 10 %")},
           {"tau", objective_schema("Kendall's tau-b of both orders")},
           {"common", schema::count("values that can be chosen on both")}}),
      "what other machines say about the best value");
}

const schema::Table<TuningReport>& tuning_table() {
  using R = TuningReport;
  static const schema::Table<TunedAxis> axis({
      {"name", "of the axis", &TunedAxis::title},
      {"values", schema::list(schema::text("a value"), "in the order of the command"),
       &TunedAxis::values},
  });
  static const schema::Table<R> table({
      {"tool", tool_schema(), [](const R& r) { return tool_json(r.version); }},
      {"program", "as the command names it", &R::program},
      {"naive_program", schema::or_null(schema::text("what ratios refer to; null: a value")),
       [](const R& r) { return if_text(r.naive_program); }},
      {"fixed", schema::map(schema::text("a value"), "options that do not vary"),
       [](const R& r) {
         Json fixed = Json::object();
         for (const auto& [name, value] : r.fixed) fixed[name] = value;
         return fixed;
       }},
      {"axes", axis, "what is tuned", "one or two", &R::axes},
      {"problems",
       schema::list(schema::text("an axis"),
                    "axes whose values are different problems: the size of an input changes"),
       [](const R& r) {
         Json axes = Json::array();
         for (std::size_t k = 0; k < r.changed_inputs.size(); ++k)
           if (!r.changed_inputs[k].empty()) axes.push_back(r.axes[k].title);
         return axes;
       }},
      {"within", "values so much worse than the best are worth using: 0.05 is 5 %", &R::within},
      {"seeds", "runs of each value", &R::seeds},
      {"timing_only", "nothing was computed", &R::timing_only},
      {"interrupted", "some values were not run", &R::interrupted},
      {"machines",
       schema::list(tuned_machine_table().schema("the values on one machine"),
                    "the first is tuned for, the others confirm it"),
       [](const R& r) {
         Json machines = Json::array();
         for (const TunedMachine& machine : r.machines)
           machines.push_back(tuned_machine_table().json({machine, r}));
         return machines;
       }},
      {"confirmations", confirmations_schema(), confirmations_json},
  });
  return table;
}

} // namespace

std::string tuning_json_text(const TuningReport& report) {
  return json_text(tuning_table().json(report), 2);
}

Json tuning_schema() {
  return schema::document("The result of memlane tune",
                          tuning_table().schema("what --format json prints"));
}

Json tuning_line_schema() { return line_document("tune", stored_row_schema()); }

} // namespace memlane
