// Changed runs beside the run that they change, as JSON.
#include "compare/line_comparison.hpp"

#include "memlane/show/explanation_json.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/show/run_columns.hpp"
#include "memlane/study/explain/explanation_text.hpp"

namespace memlane {

using schema::Json;
using sweep::TriedChange;

namespace {

const schema::Table<sweep::CauseComparison>& cause_comparison_table() {
  using C = sweep::CauseComparison;
  static const schema::Table<C> table({
      {"unit", unit_schema(), [](const C& c) { return name_of_unit(c.unit); }},
      {"a", cause_table(), "of this run: time units by cause; together they are its time",
       &C::first},
      {"b", cause_table(), "of the changed run, likewise", &C::second},
  });
  return table;
}

const schema::Table<TriedChange>& tried_change_table() {
  static const schema::Table<TriedChange> table({
      {"change", "as --try takes it", &TriedChange::change},
      {"state", schema::word(schema::names_up_to(sweep::Ran::stopped), "how far it came"),
       [](const TriedChange& t) { return t.row.ran; }},
      {"reason", "why it is not done", [](const TriedChange& t) { return if_text(t.row.reason); }},
      {"time", "time units; null: it did not come to its end",
       [](const TriedChange& t) {
         return t.ended() ? std::optional(t.row.counts.time.value) : std::nullopt;
       }},
      {"gain", schema::or_null(schema::integer("time units less than this run took")),
       [](const TriedChange& t) { return t.ended() ? std::optional(t.gain()) : std::nullopt; }},
      {"same_problem", "whether its memory arrays have the names and sizes of this run's",
       &TriedChange::same_problem},
      {"predicted_time",
       "simulated without data; null: the time depends on data, or CUDA kernels ran",
       &TriedChange::predicted},
      {"verify", verify_schema(), [](const TriedChange& t) { return t.row.verify; }},
      {"lines", line_comparison_table(), "by source line: this run and the changed one",
       &TriedChange::lines},
      {"causes", cause_comparison_table(),
       "where the time of both went; null: it did not come to its end, or made no requests",
       &TriedChange::causes},
  });
  return table;
}

} // namespace

Json tried_change_json(const TriedChange& tried) { return tried_change_table().json(tried); }

Json explained_run_schema() {
  Json schema = run_schema();
  Json& members = schema["properties"];
  members["explanation"] =
      explanation_schema(members["explanation"]["description"].get<std::string>());
  Json& tried = members["tries"]["items"];
  tried = tried_change_table().schema(tried["description"].get<std::string>());
  return schema;
}

} // namespace memlane
