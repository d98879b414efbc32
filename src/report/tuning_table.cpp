// The values of a tuning as tables, lines and pages.
#include "machine_words.hpp"
#include "tuning_text.hpp"

#include "memlane/report/charts_page.hpp"
#include "memlane/report/paper_table.hpp"
#include "memlane/report/stored_rows.hpp"
#include "memlane/report/text_table.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace memlane {

using sweep::Cell;
using sweep::TunedAxis;

namespace {

/// A grid has so many columns at most; more values of the second axis are listed.
constexpr std::size_t most_grid_columns = 12;

/// A table for people and papers: its caption, its heading and its rows.
struct ShownTable {
  std::string caption;
  std::vector<std::vector<std::string>> rows; ///< the first is the heading
  std::size_t texts = 1;                      ///< so many first columns are values of axes
};

bool was_run(const TunedRow& row) {
  return row.state == TunedState::done || row.state == TunedState::check_failed ||
         row.state == TunedState::no_objective;
}

std::string tuned_fixed_text(const TuningReport& report) {
  std::string text;
  for (const auto& [name, value] : report.fixed) text += fmt::format(", {}={}", name, value);
  if (report.seeds > 1) text += fmt::format(", means of {} seeds", report.seeds);
  if (report.timing_only) text += ", timing only";
  return text;
}

/// `scan on agpu-k40c, n=16384: time by alpha`.
std::string tuning_caption(const TuningReport& report, const TunedMachine& machine) {
  std::string axes = report.axes[0].title;
  if (report.axes.size() > 1) axes += " and " + report.axes[1].title;
  return fmt::format("{} on {}{}: {}{} by {}", report.program, machine.name,
                     tuned_fixed_text(report), machine.objective.label(),
                     machine.objective.unit.empty() ||
                             machine.objective.unit == machine.objective.name
                         ? ""
                         : " in " + machine.objective.unit,
                     axes);
}

bool any_has_measure(const TunedMachine& machine, std::size_t measure) {
  return std::any_of(machine.rows.begin(), machine.rows.end(),
                     [&](const TunedRow& row) { return row.measures[measure].has_value(); });
}

std::vector<std::string> tuned_axis_cells(const TuningReport& report, const TunedRow& row) {
  std::vector<std::string> cells;
  for (std::size_t axis = 0; axis < report.axes.size(); ++axis)
    cells.push_back(report.axes[axis].values[row.at[axis]]);
  return cells;
}

/// The naive program in the place of values.
std::vector<std::string> naive_cells(const TuningReport& report) {
  std::vector<std::string> cells(report.axes.size());
  cells[0] = report.naive_program;
  return cells;
}

std::vector<std::string> axis_titles(const TuningReport& report) {
  std::vector<std::string> titles;
  for (const TunedAxis& axis : report.axes) titles.push_back(axis.title);
  return titles;
}

/// A row for each value: the objective, its ratio, the measures.
ShownTable value_table(const TuningReport& report, const TunedMachine& machine) {
  ShownTable table{tuning_caption(report, machine), {axis_titles(report)}, report.axes.size()};
  const auto is_shown = [&](std::size_t k) {
    return machine.measures[k].name != machine.objective.name && any_has_measure(machine, k);
  };
  std::vector<std::string>& heading = table.rows.front();
  heading.push_back(machine.objective.name);
  if (naive_row(machine)) heading.emplace_back("naive/value");
  for (std::size_t k = 0; k < machine.measures.size(); ++k)
    if (is_shown(k))
      heading.push_back(machine.measures[k].rule ? machine.measures[k].label()
                                                 : machine.measures[k].heading);
  heading.insert(heading.end(), {"verify", "worth using"});
  const auto add = [&](const TunedRow& row, std::vector<std::string> cells,
                       std::string_view worth) {
    if (!was_run(row)) return;
    cells.push_back(shown(row.objective));
    if (naive_row(machine)) cells.push_back(shown_ratio(objective_ratio(machine, row)));
    for (std::size_t k = 0; k < machine.measures.size(); ++k)
      if (is_shown(k)) cells.push_back(shown(row.measures[k]));
    cells.push_back(row.verify);
    cells.emplace_back(worth);
    table.rows.push_back(std::move(cells));
  };
  if (machine.other_naive) add(*machine.other_naive, naive_cells(report), "naive");
  for (std::size_t number = 0; number < machine.rows.size(); ++number)
    add(machine.rows[number], tuned_axis_cells(report, machine.rows[number]),
        worth_of(report, machine, number));
  return table;
}

/// Ratios naive/value of the measures that the MMM paper compares; no rows on other models.
ShownTable ratio_table(const TuningReport& report, const TunedMachine& machine) {
  ShownTable table{
      fmt::format("naive/value on {}", machine.name), {axis_titles(report)}, report.axes.size()};
  std::vector<std::size_t> shown_measures;
  for (std::size_t k = 0; k < machine.measures.size(); ++k)
    if (!machine.measures[k].letter.empty() && any_has_measure(machine, k))
      shown_measures.push_back(k);
  // The paper compares work, span and overhead first, then the bounds.
  std::stable_partition(shown_measures.begin(), shown_measures.end(),
                        [&](std::size_t k) { return machine.measures[k].name != "bound"; });
  for (const std::size_t k : shown_measures) {
    table.rows.front().push_back(machine.measures[k].letter);
    if (const auto& rule = machine.measures[k].rule)
      table.caption += fmt::format(" ({} by {})", machine.measures[k].letter, rule->name);
  }
  if (shown_measures.empty() || !naive_row(machine)) return {};
  for (const TunedRow& row : machine.rows) {
    if (!was_run(row)) continue;
    std::vector<std::string> cells = tuned_axis_cells(report, row);
    for (const std::size_t k : shown_measures)
      cells.push_back(shown_ratio(ratio_to_naive(machine, row, k)));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// Of two axes: the objective with the second axis in columns. A mark follows what is best (`*`)
/// or within reach of it (`+`).
ShownTable grid_table(const TuningReport& report, const TunedMachine& machine) {
  const TunedAxis &down = report.axes[0], &across = report.axes[1];
  ShownTable table{tuning_caption(report, machine) + " (*: best, +: worth using)",
                   {{down.title + " \\ " + across.title}},
                   1};
  for (const std::string& value : across.values) table.rows.front().push_back(value + " ");
  std::map<std::size_t, std::vector<std::string>> lines;
  for (std::size_t number = 0; number < machine.rows.size(); ++number) {
    const TunedRow& row = machine.rows[number];
    auto [line, is_new] = lines.try_emplace(row.at[0]);
    if (is_new) {
      line->second.assign(across.values.size() + 1, "- ");
      line->second[0] = down.values[row.at[0]];
    }
    const std::string_view worth = worth_of(report, machine, number);
    const char* const mark = row.state == TunedState::check_failed ? "!"
                             : worth == "best" || worth == "tie"   ? "*"
                             : worth.empty()                       ? " "
                                                                   : "+";
    if (row.objective) line->second[row.at[1] + 1] = shown(row.objective) + mark;
  }
  for (auto& [at, line] : lines) table.rows.push_back(std::move(line));
  return table;
}

/// Tables without a row are left out: nothing could run.
std::vector<ShownTable> tuning_tables(const TuningReport& report) {
  std::vector<ShownTable> tables;
  const auto add = [&](ShownTable table) {
    if (table.rows.size() > 1) tables.push_back(std::move(table));
  };
  for (const TunedMachine& machine : report.machines) {
    if (report.axes.size() == 2 && report.axes[1].values.size() <= most_grid_columns) {
      add(grid_table(report, machine));
      continue;
    }
    add(value_table(report, machine));
    add(ratio_table(report, machine));
  }
  return tables;
}

Align tuning_align(const ShownTable& table, std::size_t column) {
  const std::string& heading = table.rows.front()[column];
  const bool is_text = heading == "verify" || heading == "worth using";
  const bool all_numbers =
      std::all_of(table.rows.begin() + 1, table.rows.end(), [&](const auto& row) {
        return row[column].find_first_not_of("0123456789.e+-*! ") == std::string::npos;
      });
  return is_text || !all_numbers ? Align::left : Align::right;
}

std::string tuning_table_text(const ShownTable& table) {
  constexpr std::size_t widest = 40;
  std::vector<Align> aligns;
  for (std::size_t k = 0; k < table.rows.front().size(); ++k)
    aligns.push_back(tuning_align(table, k));
  TextTable text(aligns);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const std::string& cell : row) cells.push_back(on_one_line(cell, widest));
    text.add(std::move(cells));
  }
  return table.caption + "\n" + text.text();
}

PaperTable tuning_paper(const ShownTable& table) {
  std::vector<PaperColumn> columns;
  for (std::size_t k = 0; k < table.rows.front().size(); ++k)
    columns.push_back({table.rows.front()[k], tuning_align(table, k)});
  PaperTable paper(table.caption, columns);
  for (auto row = table.rows.begin() + 1; row != table.rows.end(); ++row) paper.add(*row);
  return paper;
}

std::string tuning_text(const TuningReport& report) {
  std::string text;
  for (const ShownTable& table : tuning_tables(report)) text += tuning_table_text(table) + '\n';
  std::size_t widest = 0;
  const auto findings = tuning_findings(report);
  for (const auto& [word, sentence] : findings) widest = std::max(widest, display_width(word));
  for (const auto& [word, sentence] : findings)
    text += fmt::format("{}:{}{}\n", word, std::string(widest + 2 - display_width(word), ' '),
                        sentence);
  return text;
}

/// Markdown and LaTeX: the tables, and the findings as one more.
std::string tuning_paper(const TuningReport& report, Format format) {
  std::vector<PaperTable> papers;
  for (const ShownTable& table : tuning_tables(report)) papers.push_back(tuning_paper(table));
  PaperTable findings("Findings", {{""}, {""}});
  for (const auto& [word, sentence] : tuning_findings(report)) findings.add({word, sentence});
  papers.push_back(std::move(findings));
  return paper_text(papers, format);
}

/// A number where the value is one.
Cell tuned_axis_cell(const TunedAxis& axis, std::size_t at) {
  if (axis.numbers.empty()) return axis.values[at];
  const double number = axis.numbers[at];
  const auto whole = static_cast<std::int64_t>(number);
  if (std::to_string(whole) == axis.values[at]) return whole;
  return number;
}

/// Every value on every machine, for programs: all measures of all models are columns.
StoredRows tuned_stored_rows(const TuningReport& report) {
  StoredRows rows;
  rows.version = report.version;
  std::vector<std::string>& columns = rows.rows.columns;
  columns = {"program", "machine"};
  for (const TunedAxis& axis : report.axes) columns.push_back(axis.title);
  for (const char* name : {"state", "objective", "value", "ratio", "worth"})
    columns.emplace_back(name);
  const std::size_t first_measure = columns.size();
  for (const TunedMachine& machine : report.machines)
    for (const TuningMeasure& measure : machine.measures)
      if (std::find(columns.begin(), columns.end(), measure.name) == columns.end())
        columns.push_back(measure.name);
  const std::size_t last_measure = columns.size();
  for (const char* name : {"verify", "reason", "command"}) columns.emplace_back(name);
  const auto text = [](std::string_view cell) {
    return cell.empty() ? Cell() : Cell(std::string(cell));
  };
  const auto add = [&](const TunedMachine& machine, const TunedRow& row, std::vector<Cell> cells,
                       std::string_view worth) {
    cells.push_back(text(name_of(row.state)));
    cells.emplace_back(machine.objective.name);
    cells.push_back(exact_cell(row.objective));
    const auto ratio = objective_ratio(machine, row);
    cells.push_back(ratio ? Cell(*ratio) : Cell());
    cells.push_back(text(worth));
    for (std::size_t column = first_measure; column < last_measure; ++column) {
      const auto at = std::find_if(
          machine.measures.begin(), machine.measures.end(),
          [&](const TuningMeasure& measure) { return measure.name == columns[column]; });
      const auto place = static_cast<std::size_t>(at - machine.measures.begin());
      cells.push_back(place < row.measures.size() ? exact_cell(row.measures[place]) : Cell());
    }
    cells.push_back(text(row.verify));
    cells.push_back(text(row.reason));
    cells.push_back(text(row.command));
    rows.rows.rows.push_back(std::move(cells));
  };
  for (const TunedMachine& machine : report.machines) {
    if (machine.other_naive) {
      std::vector<Cell> cells = {report.naive_program, machine.name};
      cells.resize(2 + report.axes.size());
      add(machine, *machine.other_naive, std::move(cells), "naive");
    }
    for (std::size_t number = 0; number < machine.rows.size(); ++number) {
      const TunedRow& row = machine.rows[number];
      std::vector<Cell> cells = {report.program, machine.name};
      for (std::size_t axis = 0; axis < report.axes.size(); ++axis)
        cells.push_back(tuned_axis_cell(report.axes[axis], row.at[axis]));
      add(machine, row, std::move(cells), worth_of(report, machine, number));
    }
  }
  return rows;
}

} // namespace

std::string render_tuning(const TuningReport& report, Format format) {
  switch (format) {
  case Format::json: return tuning_json_text(report);
  case Format::csv:
  case Format::jsonl: return render_rows(tuned_stored_rows(report), format);
  case Format::markdown:
  case Format::latex: return tuning_paper(report, format);
  case Format::table: break;
  }
  return tuning_text(report);
}

namespace {

/// What the machines are, what is compared, and what the columns of the first machine count.
void add_explanations(const TuningReport& report, std::vector<PageFact>& facts) {
  for (const TunedMachine& machine : report.machines) {
    std::string text = machine.name + ": " + machine_with_letters(machine.spec);
    for (const std::string& key : machine.varying) text += fmt::format("; {} varies", key);
    facts.push_back({"machine", std::move(text)});
  }
  const TunedMachine& tuned = report.machines.front();
  facts.push_back({"compared", tuned.objective.name + ", " + tuned.objective.meaning});
  std::string columns;
  for (std::size_t k = 0; k < tuned.measures.size(); ++k) {
    const TuningMeasure& measure = tuned.measures[k];
    if (measure.name == tuned.objective.name || !any_has_measure(tuned, k)) continue;
    columns +=
        fmt::format("{}{}: {}", columns.empty() ? "" : "; ", measure.heading, measure.meaning);
  }
  if (!columns.empty() && report.axes.size() == 1) facts.push_back({"columns", columns});
}

} // namespace

std::string tuning_page(const TuningReport& report) {
  ChartsPage page;
  page.title = tuning_caption(report, report.machines.front());
  PageSection& section = page.sections.emplace_back();
  for (const auto& [word, sentence] : tuning_findings(report))
    section.facts.push_back({word, sentence});
  add_explanations(report, section.facts);
  section.charts = tuning_charts(report);
  for (const ShownTable& table : tuning_tables(report))
    section.tables.push_back({table.caption, table.rows, table.texts});
  return charts_page(page);
}

} // namespace memlane
