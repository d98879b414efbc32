// A comparison as one JSON object, and a row of it.
#include "line_columns.hpp"

#include "memlane/report/comparison.hpp"
#include "memlane/report/json_parts.hpp"

namespace memlane {

using sweep::Comparison;
using sweep::ComparisonRow;
using sweep::Ran;
using sweep::SameResults;

namespace {

using schema::Json;

/// A row, and the comparison that its ratio refers to.
struct RowOf {
  const Comparison& comparison;
  const ComparisonRow& row;

  bool races_allowed() const { return !row.info.races_allowed.empty(); }
  Json if_counted(std::int64_t number) const {
    return row.counted() ? Json(number) : Json(nullptr);
  }
};

const schema::Table<RowOf>& row_table() {
  using schema::count;
  using schema::or_null;
  static const schema::Table<RowOf> table({
      {"machine", schema::text("as it was asked for"),
       [](const RowOf& r) { return r.row.machine; }},
      {"program", schema::text("as it was asked for"),
       [](const RowOf& r) { return r.row.program; }},
      {"sha256", sha256_schema(), [](const RowOf& r) { return r.row.info.sha256; }},
      {"parameters", parameters_schema(),
       [](const RowOf& r) { return parameters_json(r.row.info); }},
      {"replaced", replaced_schema(), [](const RowOf& r) { return replaced_json(r.row.info); }},
      {"inputs", inputs_schema(), [](const RowOf& r) { return inputs_json(r.row.info); }},
      {"state", schema::word(schema::names_up_to(Ran::stopped), "how far the program came"),
       [](const RowOf& r) { return name_of(r.row.ran); }},
      {"reason", or_null(schema::text("why it is not done, or which word of the results differs")),
       [](const RowOf& r) { return r.row.reason.empty() ? Json(nullptr) : Json(r.row.reason); }},
      {"time", or_null(count("time units; null: not counted")),
       [](const RowOf& r) { return r.if_counted(r.row.counts.time.value); }},
      {"ratio", or_null(schema::real("of the time to the best time on this machine")),
       [](const RowOf& r) { return schema::value_or_null(ratio_to_best(r.comparison, r.row)); }},
      {"stages", or_null(count("pipeline stages of all units")),
       [](const RowOf& r) { return r.if_counted(all_units(r.row.counts).stages); }},
      {"conflicts", or_null(count("stages beyond the first of each request, of all units")),
       [](const RowOf& r) { return r.if_counted(all_units(r.row.counts).conflicts()); }},
      {"races_allowed", races_allowed_schema(),
       [](const RowOf& r) { return r.row.info.races_allowed; }, &RowOf::races_allowed},
      {"races", or_null(count("races found; null: not looked for")),
       [](const RowOf& r) {
         return r.comparison.timing_only ? Json(nullptr) : r.if_counted(r.row.races);
       },
       &RowOf::races_allowed},
      {"verify", verify_schema(), [](const RowOf& r) { return name_of(r.row.verify); }},
      {"results",
       schema::word(schema::names_up_to(SameResults::different),
                    "whether the final arrays are those of the first run that came to its end; "
                    "none: not compared"),
       [](const RowOf& r) { return name_of(r.row.results); }},
      {"largest", or_null(limitation_schema()),
       [](const RowOf& r) {
         return r.row.largest ? Json(name_of(*r.row.largest)) : Json(nullptr);
       }},
  });
  return table;
}

const schema::Table<Comparison>& comparison_table_of_json() {
  using C = Comparison;
  static const schema::Table<C> table({
      {"tool", tool_schema(), [](const C& c) { return tool_json(c.version); }},
      {"seed", schema::count("of random numbers"), [](const C& c) { return c.seed; }},
      {"timing_only", schema::constant(true, "nothing was computed: --timing-only"),
       [](const C&) { return true; }, [](const C& c) { return c.timing_only; }},
      {"arrays", schema::list(schema::text("its name"), "arrays that were compared"),
       [](const C& c) { return c.arrays; }},
      {"remarks", schema::list(schema::text("a sentence"), "why other arrays were not compared"),
       [](const C& c) { return c.remarks; }},
      {"rows", schema::list(row_table().schema("a program on a machine"), "machine by machine"),
       [](const C& c) {
         auto rows = Json::array();
         for (const ComparisonRow& row : c.rows) rows.push_back(row_json(c, row));
         return rows;
       }},
      {"lines", line_comparison_schema(), [](const C& c) { return line_json(*c.lines); },
       [](const C& c) { return c.lines.has_value(); }},
  });
  return table;
}

} // namespace

Json row_json(const Comparison& comparison, const ComparisonRow& row) {
  return row_table().json({comparison, row});
}

Json comparison_json(const Comparison& comparison) {
  return comparison_table_of_json().json(comparison);
}

Json comparison_schema() {
  return schema::document("The result of memlane compare",
                          comparison_table_of_json().schema("what --format json prints"));
}

Json comparison_line_schema() {
  Json either = {{"description", "a row of the comparison; with --lines, a pair of source lines"}};
  either["oneOf"] = {row_table().schema("a program on a machine"), line_pair_schema()};
  return line_document("compare", std::move(either));
}

} // namespace memlane
