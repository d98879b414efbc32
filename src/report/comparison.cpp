// Several programs on several machines, in every format.
#include "memlane/report/comparison.hpp"

#include "columns.hpp"

#include "memlane/report/json_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {

using sweep::Comparison;
using sweep::ComparisonRow;
using sweep::Ran;
using sweep::SameResults;

namespace {

using schema::Json;

/// A row, and the comparison that its ratio refers to.
struct RowOf {
  const Comparison* comparison = nullptr;
  const ComparisonRow* row = nullptr;

  const ComparisonRow* operator->() const { return row; }
  bool races_allowed() const { return !row->info.races_allowed.empty(); }
  Json if_counted(std::int64_t number) const {
    return row->counted() ? Json(number) : Json(nullptr);
  }
  std::string if_done(std::string_view text) const {
    return row->ran == Ran::done ? std::string(text) : "";
  }
};

std::vector<RowOf> rows_of(const Comparison& comparison) {
  std::vector<RowOf> rows;
  for (const ComparisonRow& row : comparison.rows) rows.push_back({&comparison, &row});
  return rows;
}

std::string with_blanks(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

/// How the run ended, and why; nothing where it is done and its result is right.
std::string ending(const RowOf& r, bool ended) {
  std::string text = ended ? "" : with_blanks(name_of(r->ran));
  if (!r->reason.empty()) text += (text.empty() ? "" : ": ") + on_one_line(r->reason, 300);
  return text;
}

std::string note(const RowOf& r) {
  std::string text = ending(r, r->counted());
  if (r->races > 0)
    text += fmt::format("{}{} (allowed: {})", text.empty() ? "" : "; ", counted(r->races, "race"),
                        on_one_line(r->info.races_allowed, 300));
  return text;
}

const Columns<RowOf>& row_columns() {
  using schema::count;
  using schema::or_null;
  using C = Column<RowOf>;
  const auto right = Align::right;
  const auto replaced = [](const char* option) {
    return [option](const RowOf& r) { return replaced_cell(r->info, option); };
  };
  static const Columns<RowOf> columns({
      C("machine", schema::text("as it was asked for"),
        [](const RowOf& r) {
          return r->machine;
        }).shown("machine"),
      C("program", schema::text("as it was asked for"),
        [](const RowOf& r) {
          return r->program;
        }).shown("program"),
      C("sha256", sha256_schema(), [](const RowOf& r) { return r->info.sha256; }),
      C("parameters", parameters_schema(),
        [](const RowOf& r) {
          return parameters_json(r->info);
        }).not_in_csv(),
      csv_column<RowOf>("parameters", [](const RowOf& r) { return parameters_cell(r->info); }),
      C("replaced", replaced_schema(),
        [](const RowOf& r) {
          return replaced_json(r->info);
        }).not_in_csv(),
      csv_column<RowOf>("layouts", replaced("--layout")),
      csv_column<RowOf>("fns", replaced("--fn")),
      csv_column<RowOf>("types", replaced("--type")),
      C("inputs", inputs_schema(),
        [](const RowOf& r) {
          return inputs_json(r->info);
        }).not_in_csv(),
      C("state", schema::word(schema::names_up_to(Ran::stopped), "how far the program came"),
        [](const RowOf& r) { return name_of(r->ran); }),
      C("reason", or_null(schema::text("why it is not done, or which word of the results differs")),
        [](const RowOf& r) { return r->reason.empty() ? Json(nullptr) : Json(r->reason); }),
      C("time", or_null(count("time units; null: not counted")),
        [](const RowOf& r) {
          return r.if_counted(r->counts.time.value);
        }).shown("time", right),
      C("ratio", or_null(schema::real("of the time to the best time on this machine")),
        [](const RowOf& r) { return schema::value_or_null(ratio_to_best(*r.comparison, *r.row)); })
          .shown("ratio", right,
                 [](const RowOf& r) {
                   const auto ratio = ratio_to_best(*r.comparison, *r.row);
                   return ratio ? fmt::format("{:.3f}", *ratio) : "";
                 }),
      C("stages", or_null(count("pipeline stages of all units")),
        [](const RowOf& r) {
          return r.if_counted(all_units(r->counts).stages);
        }).shown("stages", right),
      C("conflicts", or_null(count("stages beyond the first of each request, of all units")),
        [](const RowOf& r) {
          return r.if_counted(all_units(r->counts).conflicts());
        }).shown("conflicts", right),
      C(
          "races_allowed", races_allowed_schema(),
          [](const RowOf& r) { return r->info.races_allowed; }, &RowOf::races_allowed),
      C(
          "races", or_null(count("races found; null: not looked for")),
          [](const RowOf& r) {
            return r.comparison->timing_only ? Json(nullptr) : r.if_counted(r->races);
          },
          &RowOf::races_allowed),
      C("verify", verify_schema(), [](const RowOf& r) { return name_of(r->verify); })
          .shown("verify", Align::left,
                 [](const RowOf& r) { return r.if_done(name_of(r->verify)); }),
      C("results",
        schema::word(schema::names_up_to(SameResults::different),
                     "whether the final arrays are those of the first run that came to its end; "
                     "none: not compared"),
        [](const RowOf& r) { return name_of(r->results); })
          .shown("results", Align::left,
                 [](const RowOf& r) { return r.if_done(name_of(r->results)); }),
      C("largest", or_null(limitation_schema()),
        [](const RowOf& r) { return r->largest ? Json(name_of(*r->largest)) : Json(nullptr); })
          .shown(
              "largest bound", Align::left,
              [](const RowOf& r) { return r->largest ? with_blanks(name_of(*r->largest)) : ""; },
              ShownIn::text),
      table_column<RowOf>("", note, ShownIn::text).wide(1000),
      table_column<RowOf>(
          "remark", [](const RowOf& r) { return ending(r, r->ran == Ran::done); }, ShownIn::paper),
  });
  return columns;
}

const schema::Table<RowOf>& row_table() {
  static const schema::Table<RowOf> table = row_columns().json();
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
       [](const C& c) { return row_table().json_of_all(rows_of(c)); }},
      {"lines", line_comparison_schema(), [](const C& c) { return line_json(*c.lines); },
       [](const C& c) { return c.lines.has_value(); }},
  });
  return table;
}

std::string comparison_table(const Comparison& comparison) {
  std::string text = row_columns().text(rows_of(comparison)).text() + "\nresults compared: ";
  const bool held =
      std::any_of(comparison.rows.begin(), comparison.rows.end(),
                  [](const ComparisonRow& row) { return row.results != SameResults::none; });
  if (comparison.timing_only) {
    text += "none, --timing-only: nothing was computed";
  } else if (comparison.arrays.empty()) {
    text += "none, no array is in all of them in one size";
  } else if (!held) {
    text += "none, fewer than two runs came to their end";
  }
  for (std::size_t i = 0; held && i < comparison.arrays.size(); ++i) {
    text += (i == 0 ? "" : ", ") + comparison.arrays[i];
  }
  text += '\n';
  for (const std::string& remark : comparison.remarks) text += on_one_line(remark, 300) + '\n';
  if (comparison.lines) text += '\n' + line_table(*comparison.lines);
  return text;
}

} // namespace

UnitCounts all_units(const Counts& counts) {
  UnitCounts sum;
  for (const UnitCounts& unit : counts.global) sum += unit;
  for (const UnitCounts& unit : counts.shared) sum += unit;
  return sum;
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

std::string render_comparison(const Comparison& comparison, Format format) {
  switch (format) {
  case Format::json: return json_text(comparison_json(comparison), 2);
  case Format::csv:
    return comparison.lines ? line_csv(*comparison.lines) : row_columns().csv(rows_of(comparison));
  case Format::jsonl: {
    if (!comparison.lines) return json_lines(row_table(), rows_of(comparison));
    std::string text;
    for (const LinePair& pair : comparison.lines->lines) text += json_text(line_json(pair), -1);
    return text;
  }
  case Format::markdown:
  case Format::latex: {
    std::vector<PaperTable> tables{row_columns().paper("Comparison", rows_of(comparison))};
    if (comparison.lines) tables.push_back(line_paper(*comparison.lines));
    return paper_text(tables, format);
  }
  case Format::table: break;
  }
  return comparison_table(comparison);
}

} // namespace memlane
