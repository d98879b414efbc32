// Two runs side by side: their source lines, and where their time went.
#include "line_comparison.hpp"

#include "memlane/count/fields.hpp"
#include "memlane/show/explanation_json.hpp"
#include "memlane/show/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace memlane {

using sweep::LineComparison;
using sweep::LinePair;

namespace {

/// The counts that tables show of each of two lines: `worst` has no sum.
const std::vector<Field<LineCounts>>& summed_fields() {
  static const std::vector<Field<LineCounts>> fields = [] {
    std::vector<Field<LineCounts>> list = line_fields();
    std::erase_if(list, [](const auto& field) { return field.name == "worst"; });
    const std::vector<Field<LineCounts>>& of_mmm = model_table("mmm").line_fields;
    list.insert(list.end(), of_mmm.begin(), of_mmm.end());
    return list;
  }();
  return fields;
}

/// None: neither line's machine has it, so there is no difference. A missing line has 0.
std::optional<std::int64_t> difference_in(const Field<LineCounts>& field, const LinePair& pair) {
  const auto count = [&](const std::optional<CountedLine>& line) {
    return line ? field.count(line->counts) : std::nullopt;
  };
  const auto first = count(pair.first), second = count(pair.second);
  if (!first && !second) return std::nullopt;
  return second.value_or(0) - first.value_or(0);
}

/// One of the two lines of a pair, of run A or B.
struct Side {
  char letter;
  std::optional<CountedLine> LinePair::*line;
  std::string LineComparison::*run;
};
constexpr Side sides[] = {{'a', &LinePair::first, &LineComparison::first},
                          {'b', &LinePair::second, &LineComparison::second}};

std::string line_number_of(const std::optional<CountedLine>& line) {
  return line && line->number > 0 ? std::to_string(line->number) : "";
}

/// What differs: `requests +4, stages -12`; `only A`; nothing where the counts are equal.
std::string difference_of(const LinePair& pair) {
  if (!pair.second) return "only A";
  if (!pair.first) return "only B";
  std::string text;
  for (const Field<LineCounts>& field : summed_fields()) {
    const std::int64_t more = difference_in(field, pair).value_or(0);
    if (more != 0)
      text += fmt::format("{}{} {:+}", text.empty() ? "" : ", ", with_blanks(field.name), more);
  }
  return text;
}

/// The sums over all lines of a run.
CountedLine sum_of_lines(const LineComparison& comparison, const Side& side) {
  CountedLine sum;
  sum.text = "all lines";
  for (const LinePair& pair : comparison.lines) {
    const auto& line = pair.*side.line;
    if (!line) continue;
    sum.counts.requests += line->counts.requests;
    sum.counts.stages += line->counts.stages;
    sum.counts.further_needed += line->counts.further_needed;
    if (!line->counts.mmm) continue;
    if (!sum.counts.mmm) sum.counts.mmm.emplace();
    *sum.counts.mmm += *line->counts.mmm;
  }
  return sum;
}

/// The counts of the second line less those of the first; a missing line has none.
const schema::Table<LinePair>& difference_table() {
  schema::Members<LinePair> members;
  for (const Field<LineCounts>& field : summed_fields())
    members.push_back({std::string(field.name),
                       schema::or_null(schema::integer("of b less that of a")),
                       [&field](const LinePair& pair) { return difference_in(field, pair); }});
  static const schema::Table<LinePair> table(std::move(members));
  return table;
}

ColumnList<ComparedLine> pair_members() {
  using C = Column<ComparedLine>;
  return {
      C::json("a", counted_line_table(), "of the first run", &LinePair::first),
      C::json("b", counted_line_table(), "of the second run", &LinePair::second),
      C::json("difference", difference_table(), "a missing line counts 0",
              [](const ComparedLine& p) { return *p; }),
      C("differs", "whether any count does", &LinePair::differs),
  };
}

/// CSV has a row of both lines: `a_run`, `a_file`, …, `b_lost`.
ColumnList<ComparedLine> pair_csv_columns() {
  ColumnList<ComparedLine> columns;
  for (const Side& side : sides) {
    const auto add = [&](const std::string& name, auto cell) {
      columns.push_back(csv_column<ComparedLine>(
          fmt::format("{}_{}", side.letter, name), [cell, side](const ComparedLine& p) {
            const auto& line = (*p).*side.line;
            return line ? schema::json_of_value(cell(*line)) : schema::Json();
          }));
    };
    columns.push_back(
        csv_column<ComparedLine>(fmt::format("{}_run", side.letter),
                                 [side](const ComparedLine& p) { return p.whole.*side.run; }));
    add("file", [](const CountedLine& line) { return line.file; });
    add("line", [](const CountedLine& line) { return line_number_of(line); });
    add("source", [](const CountedLine& line) { return line.text; });
    for (const Field<LineCounts>& field : line_fields())
      add(std::string(field.name),
          [&field](const CountedLine& line) { return field.count(line.counts); });
    for (const ModelTable& model : model_tables())
      for (const Field<LineCounts>& field : model.line_fields)
        add(fmt::format("{}_{}", model.name, field.name),
            [&field](const CountedLine& line) { return field.count(line.counts); });
  }
  return columns;
}

/// Papers name the run in each heading; a text has the columns of B right behind those of A.
ColumnList<ComparedLine> pair_table_columns() {
  ColumnList<ComparedLine> columns;
  const auto add = [&](std::string_view name, bool may_hide, auto cell) {
    for (const Side& side : sides) {
      const auto shown = [cell, side](const ComparedLine& p) { return cell((*p).*side.line); };
      const bool is_first = side.letter == 'a';
      columns.push_back(table_column<ComparedLine>(
          Shown{.heading = fmt::format("{} {}", name, is_first ? "A" : "B"),
                .align = Align::right,
                .where = is_first ? ShownIn::both : ShownIn::paper,
                .hide_empty = may_hide},
          shown));
      if (!is_first)
        columns.push_back(table_column<ComparedLine>(Shown{.heading = "B",
                                                           .align = Align::right,
                                                           .where = ShownIn::text,
                                                           .hide_empty = may_hide},
                                                     shown));
    }
  };
  add("line", false, line_number_of);
  for (const Field<LineCounts>& field : summed_fields())
    add(with_blanks(field.name), true, [&field](const std::optional<CountedLine>& line) {
      const auto count = line ? field.count(line->counts) : std::nullopt;
      return count ? std::to_string(*count) : "";
    });
  for (const Side& side : sides)
    columns.push_back(table_column<ComparedLine>(
        Shown{.heading = side.letter == 'a' ? "source A" : "source B",
              .where = ShownIn::paper,
              .is_code = true},
        [side](const ComparedLine& p) { return ((*p).*side.line).value_or(CountedLine()).text; }));
  columns.push_back(table_column<ComparedLine>(
      Shown{.heading = "source", .where = ShownIn::text, .width = widest_source},
      [](const ComparedLine& p) { return (p->first ? p->first : p->second)->text; }));
  columns.push_back(
      table_column<ComparedLine>(Shown{"B - A", Align::left, nullptr, ShownIn::text},
                                 [](const ComparedLine& p) { return difference_of(*p); }));
  return columns;
}

} // namespace

const Columns<ComparedLine>& compared_line_columns() {
  static const Columns<ComparedLine> columns(pair_csv_columns(), pair_members(),
                                             pair_table_columns());
  return columns;
}

const schema::Table<LineComparison>& line_comparison_table() {
  static const schema::Table<LineComparison> table({
      {"a", "the first run", &LineComparison::first},
      {"b", "the second run", &LineComparison::second},
      {"rows", compared_line_columns().json(),
       "a line of the first run beside that of the second that matches it",
       "pairs of lines, in the order of the programs",
       [](const LineComparison& c) { return parts_of(c.lines, c); }},
  });
  return table;
}

std::string compared_lines_text(const LineComparison& comparison) {
  const LinePair all{sum_of_lines(comparison, sides[0]), sum_of_lines(comparison, sides[1])};
  // A count has both columns if one of the runs has it.
  const LinePair first{all.first, all.first}, second{all.second, all.second};
  const std::vector<ComparedLine> either{{first, comparison}, {second, comparison}};
  const Columns<ComparedLine> columns = compared_line_columns().without_empty(either);
  TextTable table = columns.text_heading();
  const auto add_source = [&, before = columns.text_cells(either.front()).size() -
                                       2](const std::string& text) {
    std::vector<std::string> cells(before); // of the columns before the source
    cells.push_back(text);
    table.add(std::move(cells));
  };
  std::string first_file, second_file;
  for (const LinePair& pair : comparison.lines) {
    const CountedLine& shown = pair.first ? *pair.first : *pair.second;
    const std::string& file = pair.first ? first_file : second_file;
    if (shown.file != file && !file.empty())
      add_source(on_one_line(shown.file, widest_source) + ":");
    if (pair.first) first_file = pair.first->file;
    if (pair.second) second_file = pair.second->file;
    table.add(columns.text_cells({pair, comparison}));
    if (pair.first && pair.second && pair.first->text != pair.second->text)
      add_source("B: " + on_one_line(pair.second->text, widest_source - 3));
  }
  table.add(columns.text_cells({all, comparison}));
  return fmt::format("by source line\n  A  {}\n  B  {}\n{}", on_one_line(comparison.first, 200),
                     on_one_line(comparison.second, 200), table.text(2));
}

PaperTable compared_lines_paper(const LineComparison& comparison) {
  return compared_line_columns().paper(
      fmt::format("Source lines of A, {}, and B, {}", comparison.first, comparison.second),
      parts_of(comparison.lines, comparison));
}

// --- Where the time of two runs went

namespace sweep {

std::optional<CauseComparison> compare_causes(const MachineSpec& first_machine, const Counts& first,
                                              const MachineSpec& second_machine,
                                              const Counts& second) {
  const std::vector<ExplainedUnit> own = explained_units(first_machine, first);
  if (own.empty()) return std::nullopt;
  const std::vector<ExplainedUnit> others = explained_units(second_machine, second);
  const auto other = std::find_if(others.begin(), others.end(), [&](const ExplainedUnit& unit) {
    return unit.unit == own.front().unit;
  });
  if (other == others.end()) return std::nullopt;
  return CauseComparison{own.front().unit, has_one_memory(first_machine.model), own.front().time,
                         other->time};
}

} // namespace sweep

namespace {

using sweep::CauseComparison;

struct CauseRow {
  std::string_view name;
  std::int64_t first = 0, second = 0; ///< time units
};

/// By Cause.
constexpr std::array<std::string_view, cause_count> cause_words = {
    "first stages",        "extra stages",           "idle: latency",          "idle: at a barrier",
    "idle: last requests", "idle: cost of launches", "idle: nothing in flight"};

std::vector<CauseRow> rows_of(const CauseComparison& comparison) {
  std::vector<CauseRow> rows;
  for (std::size_t k = 0; k < cause_count; ++k)
    if (comparison.first[k] != 0 || comparison.second[k] != 0)
      rows.push_back({cause_words[k], comparison.first[k], comparison.second[k]});
  const auto sum = [](const TimeByCause& time) {
    return std::accumulate(time.begin(), time.end(), std::int64_t{0});
  };
  rows.push_back({"time", sum(comparison.first), sum(comparison.second)});
  return rows;
}

const Columns<CauseRow>& cause_columns() {
  static const Columns<CauseRow> columns({
      table_column<CauseRow>(Shown{"time units"},
                             [](const CauseRow& r) { return std::string(r.name); }),
      table_column<CauseRow>(Shown{"A", Align::right},
                             [](const CauseRow& r) { return std::to_string(r.first); }),
      table_column<CauseRow>(Shown{"B", Align::right},
                             [](const CauseRow& r) { return std::to_string(r.second); }),
      table_column<CauseRow>(Shown{"B - A", Align::right},
                             [](const CauseRow& r) {
                               const std::int64_t more = r.second - r.first;
                               return more == 0 ? "" : fmt::format("{:+}", more);
                             }),
  });
  return columns;
}

/// In tables and JSON.
std::string_view unit_name_of(const CauseComparison& comparison) {
  return comparison.unit == UnitId::global ? "global" : "shared";
}

std::string title_of(const CauseComparison& comparison) {
  if (comparison.is_only) return "by cause";
  return fmt::format("by cause, of the {} memory", unit_name_of(comparison));
}

} // namespace

const schema::Table<CauseComparison>& cause_comparison_table() {
  static const schema::Table<CauseComparison> table({
      {"unit", schema::word({"global", "shared"}, "which memory"), unit_name_of},
      {"a", cause_table(), "time units of the first run, which take its time together",
       &CauseComparison::first},
      {"b", cause_table(), "of the second run", &CauseComparison::second},
  });
  return table;
}

std::string compared_causes_text(const CauseComparison& comparison) {
  return fmt::format("{}\n{}", title_of(comparison),
                     cause_columns().text(rows_of(comparison)).text(2));
}

PaperTable compared_causes_paper(const CauseComparison& comparison) {
  std::string title = "Time of A and B " + title_of(comparison);
  return cause_columns().paper(std::move(title), rows_of(comparison));
}

} // namespace memlane
