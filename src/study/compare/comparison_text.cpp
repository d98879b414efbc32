// Several programs on several machines, in every format.
#include "line_comparison.hpp"

#include "memlane/show/json_parts.hpp"
#include "memlane/show/model_columns.hpp"
#include "memlane/study/compare/comparison.hpp"

#include <fmt/format.h>

namespace memlane {

using sweep::Comparison;
using sweep::ComparisonRow;
using sweep::Ran;
using sweep::SameResults;

namespace {

using schema::Json;

/// A row, and the comparison that its ratio refers to.
using RowOf = PartOf<ComparisonRow, Comparison>;

bool has_races(const RowOf& r) { return !r->info.races_allowed.empty(); }

/// A getter of a number that only rows with counts have.
template <class Get>
auto if_counted(Get get) {
  return [get](const RowOf& r) { return r->counted() ? std::optional(get(*r)) : std::nullopt; };
}

/// A getter of a number of requests, which an MMM does not have.
template <class Get>
auto if_requests(Get get) {
  return [get](const RowOf& r) {
    return r->counted() && !r->counts.mmm ? std::optional(get(all_units(r->counts))) : std::nullopt;
  };
}

/// A cell that only runs that came to their end have.
template <class V>
auto if_done(V ComparisonRow::*member) {
  return [member](const RowOf& r) {
    return r->ran == Ran::done ? std::string(name_of((*r).*member)) : "";
  };
}

/// How the run ended, and why; nothing where it is done and its result is right.
std::string ending(const RowOf& r, bool ended) {
  std::string text = ended ? "" : with_blanks(name_of(r->ran));
  if (!r->reason.empty()) text += (text.empty() ? "" : ": ") + on_one_line(r->reason, 300);
  return text;
}

std::string note(const RowOf& r) {
  std::string text = ending(r, r->counted());
  if (r->races > 0) text += (text.empty() ? "" : "; ") + counted(r->races, "race");
  if (r->races > 0 && !r->info.races_allowed.empty())
    text += fmt::format(" (allowed: {})", on_one_line(r->info.races_allowed, 300));
  return text;
}

/// What ran where.
ColumnList<RowOf> subject_of_row() {
  using C = Column<RowOf>;
  const auto replaced = [](std::string name, const char* option) {
    return csv_column<RowOf>(std::move(name),
                             [option](const RowOf& r) { return replaced_cell(r->info, option); });
  };
  return {
      C(Shown{"machine"}, "machine", "as it was asked for", &ComparisonRow::machine),
      C(Shown{"program"}, "program", "as it was asked for", &ComparisonRow::program),
      C("sha256", sha256_schema(), [](const RowOf& r) { return r->info.sha256; }),
      C::json("parameters", parameters_schema(),
              [](const RowOf& r) { return parameters_json(r->info); }),
      csv_column<RowOf>("parameters", [](const RowOf& r) { return parameters_cell(r->info); }),
      C::json("replaced", replaced_schema(), [](const RowOf& r) { return replaced_json(r->info); }),
      replaced("layouts", "--layout"),
      replaced("fns", "--fn"),
      replaced("types", "--type"),
      C::json("inputs", inputs_schema(), [](const RowOf& r) { return inputs_json(r->info); }),
  };
}

/// How far it came, its time and its stages.
ColumnList<RowOf> times_of_row() {
  using C = Column<RowOf>;
  const auto right = Align::right;
  return {
      C("state", schema::word(schema::names_up_to(Ran::stopped), "how far the program came"),
        &ComparisonRow::ran),
      C("reason", "why it is not done, which claim fails, or which word of the results differs",
        [](const RowOf& r) { return if_text(r->reason); }),
      C(Shown{"time", right}, "time", "time units; null: not counted",
        if_counted([](const ComparisonRow& row) { return row.counts.time.value; })),
      C(Shown{"ratio", right, [](double ratio) { return fmt::format("{:.3f}", ratio); }}, "ratio",
        "of the time to the best time on this machine",
        [](const RowOf& r) { return ratio_to_best(r.whole, *r); }),
      C(Shown{.heading = "stages", .align = right, .hide_empty = true}, "stages",
        "pipeline stages of all units",
        if_requests([](const UnitCounts& units) { return units.stages; })),
      C(Shown{.heading = "conflicts", .align = right, .hide_empty = true}, "conflicts",
        "stages beyond the first of each request, of all units",
        if_requests([](const UnitCounts& units) { return units.conflicts(); })),
  };
}

/// Counts of models that tables show.
const ModelCounts* shown_counts(const RowOf& r) {
  return r->counted() && (r->counts.mmm || shows_agpu(r->counts)) ? &r->counts : nullptr;
}

/// What came of it.
ColumnList<RowOf> outcome_of_row() {
  using C = Column<RowOf>;
  const auto counts = [](const RowOf& r) { return r->counted() ? &r->counts : nullptr; };
  return together(
      together(times_of_row(), together(model_table_columns<RowOf>(shown_counts, false),
                                        model_columns<RowOf>(counts, false))),
      ColumnList<RowOf>{
          C(
              "races_allowed", races_allowed_schema(),
              [](const RowOf& r) { return r->info.races_allowed; }, schema::Presence::if_any),
          C(
              "races", "races found; null: not looked for",
              [](const RowOf& r) {
                return r->counted() && !r.whole.timing_only ? std::optional(r->races)
                                                            : std::nullopt;
              },
              has_races),
          C(Shown{"verify"}, "verify", verify_schema(), &ComparisonRow::verify)
              .showing(if_done(&ComparisonRow::verify)),
          C(Shown{"results"}, "results",
            schema::word(
                schema::names_up_to(SameResults::different),
                "whether the final arrays are those of the first run that came to its end; "
                "none: not compared"),
            &ComparisonRow::results)
              .showing(if_done(&ComparisonRow::results)),
          C(Shown{.heading = "largest bound", .where = ShownIn::text, .hide_empty = true},
            "largest", schema::or_null(limitation_schema()), &ComparisonRow::largest)
              .showing([](const RowOf& r) {
                return r->largest ? with_blanks(name_of(*r->largest)) : "";
              }),
          C("not_compared", "why no results were compared",
            [](const RowOf& r) { return if_text(r.whole.not_compared); }),
          table_column<RowOf>(Shown{.heading = "", .where = ShownIn::text, .width = 1000}, note),
          table_column<RowOf>(Shown{"remark", Align::left, nullptr, ShownIn::paper},
                              [](const RowOf& r) { return ending(r, r->ran == Ran::done); }),
      });
}

const Columns<RowOf>& row_columns() {
  static const Columns<RowOf> columns(subject_of_row(), outcome_of_row());
  return columns;
}

const schema::Table<Comparison>& comparison_table_of_json() {
  using C = Comparison;
  static const schema::Table<C> table({
      {"tool", tool_schema(), [](const C& c) { return tool_json(c.version); }},
      {"seed", "of random numbers", &C::seed},
      {"timing_only", schema::constant(true, "nothing was computed: --timing-only"),
       &C::timing_only, [](const C& c) { return c.timing_only; }},
      {"arrays", schema::list(schema::text("its name"), "arrays that were compared"), &C::arrays},
      {"remarks", schema::list(schema::text("a sentence"), "why other arrays were not compared"),
       &C::remarks},
      {"rows", row_columns().json(), "a program on a machine", "machine by machine",
       [](const C& c) { return parts_of(c.rows, c); }},
      {"lines", line_comparison_table(), "by source line: --lines",
       [](const C& c) { return *c.lines; }, [](const C& c) { return c.lines.has_value(); }},
      {"causes", cause_comparison_table(), "where the time of two commands went: --lines",
       [](const C& c) { return *c.causes; }, [](const C& c) { return c.causes.has_value(); }},
  });
  return table;
}

std::string comparison_table(const Comparison& comparison) {
  std::string text =
      row_columns().text(parts_of(comparison.rows, comparison)).text() + "\nresults ";
  if (comparison.not_compared.empty()) {
    text += fmt::format("compared: {}\n", fmt::join(comparison.arrays, ", "));
    for (const std::string& remark : comparison.remarks) text += on_one_line(remark, 300) + '\n';
  } else {
    text += fmt::format("not compared: {}\n", on_one_line(comparison.not_compared, 300));
  }
  if (comparison.lines) text += '\n' + compared_lines_text(*comparison.lines);
  if (comparison.causes) text += '\n' + compared_causes_text(*comparison.causes);
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
  either["oneOf"] = {row_columns().json().schema("a program on a machine"),
                     compared_line_columns().json().schema(
                         "a line of the first run beside that of the second that matches it")};
  return line_document("compare", std::move(either));
}

std::string render_comparison(const Comparison& comparison, Format format) {
  const std::vector<RowOf> rows = parts_of(comparison.rows, comparison);
  const auto& lines = comparison.lines;
  switch (format) {
  case Format::json: return json_text(comparison_json(comparison), 2);
  case Format::csv:
    return lines ? compared_line_columns().csv(parts_of(lines->lines, *lines))
                 : row_columns().csv(rows);
  case Format::jsonl:
    return lines ? json_lines(compared_line_columns().json(), parts_of(lines->lines, *lines))
                 : json_lines(row_columns().json(), rows);
  case Format::markdown:
  case Format::latex: {
    std::vector<PaperTable> tables{row_columns().paper("Comparison", rows)};
    if (lines) tables.push_back(compared_lines_paper(*lines));
    if (comparison.causes) tables.push_back(compared_causes_paper(*comparison.causes));
    return paper_text(tables, format);
  }
  case Format::table: break;
  }
  return comparison_table(comparison);
}

} // namespace memlane
