// A tuning as tables for people and papers, rows and JSON for programs.

#include "memlane/show/json_parts.hpp"
#include "memlane/show/paper_table.hpp"
#include "memlane/study/figures/store_chart.hpp"
#include "memlane/study/results/stored_rows.hpp"
#include "memlane/study/tune/tuning_table.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <set>

namespace memlane {

using schema::Json;
using sweep::Cell;
using sweep::TunedAxis;

namespace {

/// A grid has so many columns at most; more values of the second axis are listed.
constexpr std::size_t most_grid_columns = 12;

/// A table for people and papers. The first row is the heading.
struct ShownTable {
  std::string caption;
  std::vector<std::vector<std::string>> rows;
};

/// `time in time units`.
std::string objective_text(const TunedMachine& machine) {
  const std::string unit = unit_in(machine.objective().meaning);
  const bool has_unit = !unit.empty() && unit != machine.objective().name;
  return machine.objective().label() + (has_unit ? " in " + unit : "");
}

/// `scan on agpu-k40c, n=16384: time in time units by alpha`.
std::string tuning_caption(const TuningReport& report, const TunedMachine& machine) {
  std::string fixed, axes = report.axes[0].title;
  for (const auto& [name, value] : machine.fixed) fixed += fmt::format(", {}={}", name, value);
  if (report.seeds > 1) fixed += fmt::format(", means of {} seeds", report.seeds);
  if (report.timing_only) fixed += ", timing only";
  if (report.axes.size() > 1) axes += " and " + report.axes[1].title;
  return fmt::format("{} on {}{}: {} by {}", report.program, machine.name, fixed,
                     objective_text(machine), axes);
}

// ---- Tables for people and papers ----

/// A heading, and the text of a row.
using TableColumn = std::pair<std::string, std::function<std::string(std::size_t row)>>;

/// The values that were run, with columns behind those of the axes. A column without a text is left
/// out.
ShownTable value_table(const TuningReport& report, const TunedMachine& machine, std::string caption,
                       std::vector<TableColumn> columns) {
  for (std::size_t axis = report.axes.size(); axis-- > 0;)
    columns.insert(columns.begin(), {report.axes[axis].title, [&, axis](std::size_t row) {
                                       return report.axes[axis].values[machine.rows[row].at[axis]];
                                     }});
  std::vector<std::size_t> run;
  for (std::size_t row = 0; row < machine.rows.size(); ++row)
    if (machine.rows[row].state <= TunedState::no_objective) run.push_back(row);
  ShownTable table{std::move(caption), {run.size() + 1, std::vector<std::string>()}};
  for (const auto& [heading, text_of_row] : columns) {
    std::vector<std::string> texts = {heading};
    for (const std::size_t row : run) texts.push_back(text_of_row(row));
    if (std::all_of(texts.begin() + 1, texts.end(), [](const auto& text) { return text.empty(); }))
      continue;
    for (std::size_t k = 0; k < texts.size(); ++k) table.rows[k].push_back(std::move(texts[k]));
  }
  return table;
}

TableColumn ratio_column(std::string heading, const TunedMachine& machine, std::size_t measure) {
  return {std::move(heading), [&machine, measure](std::size_t row) {
            return shown_ratio(ratio_to_naive(machine, machine.rows[row], measure));
          }};
}

/// The objective, its ratio, the measures.
ShownTable measure_table(const TuningReport& report, const TunedMachine& machine) {
  std::vector<TableColumn> columns;
  for (std::size_t k = 0; k < machine.measures.size(); ++k) {
    const TuningMeasure& measure = machine.measures[k];
    columns.emplace_back(k == 0                   ? measure.name
                         : measure.rule().empty() ? measure.heading
                                                  : measure.label(),
                         [&, k](std::size_t row) { return shown(machine.rows[row].numbers[k]); });
  }
  columns.insert(columns.begin() + 1, ratio_column("naive/value", machine, 0));
  columns.emplace_back("verify", [&](std::size_t row) { return machine.rows[row].verify; });
  columns.emplace_back(
      "worth using", [&](std::size_t row) { return std::string(worth_of(report, machine, row)); });
  return value_table(report, machine, tuning_caption(report, machine), std::move(columns));
}

/// Ratios naive/value of the measures that the MMM paper compares: of work, span and overhead
/// first, then of the bound. No rows on other models.
ShownTable ratio_table(const TuningReport& report, const TunedMachine& machine) {
  std::string caption = fmt::format("naive/value on {}", machine.name);
  std::vector<TableColumn> columns;
  for (const std::string letter : {"W", "S", "O", "R"})
    for (std::size_t k = 0; k < machine.measures.size(); ++k) {
      if (machine.measures[k].letter != letter) continue;
      columns.push_back(ratio_column(letter, machine, k));
      if (const std::string_view rule = machine.measures[k].rule(); !rule.empty())
        caption += fmt::format(" ({} by {})", letter, rule);
    }
  if (columns.empty() || !naive_row(machine)) return {};
  return value_table(report, machine, std::move(caption), std::move(columns));
}

/// Of two axes: the objective with the second axis in columns. A mark follows what is best (`*`)
/// or within reach of it (`+`).
ShownTable grid_table(const TuningReport& report, const TunedMachine& machine) {
  const TunedAxis &down = report.axes[0], &across = report.axes[1];
  ShownTable table{tuning_caption(report, machine) + " (*: best, +: worth using)",
                   {{down.title + " \\ " + across.title}}};
  for (const std::string& value : across.values) table.rows.front().push_back(value + " ");
  for (std::size_t number = 0; number < machine.rows.size(); ++number) {
    const TunedRow& row = machine.rows[number];
    if (number == 0 || machine.rows[number - 1].at[0] != row.at[0]) {
      table.rows.emplace_back(across.values.size() + 1, "- ");
      table.rows.back()[0] = down.values[row.at[0]];
    }
    const std::string_view worth = worth_of(report, machine, number);
    const char* const mark = row.state == TunedState::check_failed ? "!"
                             : worth == "best" || worth == "tie"   ? "*"
                             : worth.empty()                       ? " "
                                                                   : "+";
    if (const std::string text = shown(row.numbers.front()); !text.empty())
      table.rows.back()[row.at[1] + 1] = text + mark;
  }
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
    add(measure_table(report, machine));
    add(ratio_table(report, machine));
  }
  return tables;
}

std::vector<PaperColumn> columns_of(const ShownTable& table) {
  std::vector<PaperColumn> columns;
  for (std::size_t k = 0; k < table.rows.front().size(); ++k) {
    const std::string& heading = table.rows.front()[k];
    const bool all_numbers =
        heading != "verify" && heading != "worth using" &&
        std::all_of(table.rows.begin() + 1, table.rows.end(), [&](const auto& row) {
          return row[k].find_first_not_of("0123456789.e+-*! ") == std::string::npos;
        });
    columns.push_back({heading, all_numbers ? Align::right : Align::left});
  }
  return columns;
}

std::string tuning_text(const TuningReport& report) {
  constexpr std::size_t widest = 40;
  std::string text;
  for (const ShownTable& table : tuning_tables(report)) {
    std::vector<Align> aligns;
    for (const PaperColumn& column : columns_of(table)) aligns.push_back(column.align);
    TextTable lines(aligns);
    for (const auto& row : table.rows) {
      std::vector<std::string> cells;
      for (const std::string& cell : row) cells.push_back(on_one_line(cell, widest));
      lines.add(std::move(cells));
    }
    text += table.caption + "\n" + lines.text() + '\n';
  }
  TextTable findings({Align::left, Align::left});
  for (const auto& [word, sentence] : tuning_findings(report)) findings.add({word + ":", sentence});
  return text + findings.text();
}

/// Markdown and LaTeX: the tables, and the findings as one more.
std::string tuning_paper(const TuningReport& report, Format format) {
  std::vector<PaperTable> papers;
  for (const ShownTable& table : tuning_tables(report)) {
    PaperTable& paper = papers.emplace_back(table.caption, columns_of(table));
    for (auto row = table.rows.begin() + 1; row != table.rows.end(); ++row) paper.add(*row);
  }
  PaperTable& findings =
      papers.emplace_back("Findings", std::vector<PaperColumn>{PaperColumn{""}, PaperColumn{""}});
  for (const auto& [word, sentence] : tuning_findings(report)) findings.add({word, sentence});
  return paper_text(papers, format);
}

// ---- Rows for programs ----

/// A number where the value is one.
Cell axis_cell(const TunedAxis& axis, std::size_t at) {
  if (axis.numbers.empty()) return axis.values[at];
  const double number = axis.numbers[at];
  const auto whole = static_cast<std::int64_t>(number);
  return std::to_string(whole) == axis.values[at] ? Cell(whole) : Cell(number);
}

/// Every value on every machine: the measures of all machines are columns. An axis that is named
/// like one of the others is `param_NAME`, as in stores.
sweep::Rows tuned_rows(const TuningReport& report) {
  std::vector<std::string> measures;
  for (const TunedMachine& machine : report.machines)
    for (const TuningMeasure& measure : machine.measures)
      if (std::find(measures.begin(), measures.end(), measure.name) == measures.end())
        measures.push_back(measure.name);
  std::set<std::string> taken(measures.begin(), measures.end());
  taken.insert({"program", "machine", "state", "objective", "value", "ratio", "worth", "verify",
                "reason", "command"});
  sweep::Rows rows;
  rows.columns = {"program", "machine"};
  for (const TunedAxis& axis : report.axes)
    rows.columns.push_back((taken.contains(axis.title) ? "param_" : "") + axis.title);
  rows.columns.insert(rows.columns.end(), {"state", "objective", "value", "ratio", "worth"});
  rows.columns.insert(rows.columns.end(), measures.begin(), measures.end());
  rows.columns.insert(rows.columns.end(), {"verify", "reason", "command"});
  const auto text = [](std::string_view cell) {
    return cell.empty() ? Cell() : Cell(std::string(cell));
  };
  for (const TunedMachine& machine : report.machines)
    for (std::size_t number = 0; number < machine.rows.size(); ++number) {
      const TunedRow& row = machine.rows[number];
      const auto ratio = ratio_to_naive(machine, row);
      std::vector<Cell>& cells = rows.rows.emplace_back();
      cells = {report.program, machine.name};
      for (std::size_t axis = 0; axis < report.axes.size(); ++axis)
        cells.push_back(axis_cell(report.axes[axis], row.at[axis]));
      cells.insert(cells.end(),
                   {text(name_of(row.state)), machine.objective().label(), row.numbers.front(),
                    ratio ? Cell(*ratio) : Cell(), text(worth_of(report, machine, number))});
      for (const std::string& name : measures) {
        std::size_t k = 0;
        while (k < machine.measures.size() && machine.measures[k].name != name) ++k;
        cells.push_back(k < row.numbers.size() ? row.numbers[k] : Cell());
      }
      cells.insert(cells.end(), {text(row.verify), text(row.reason), text(row.command)});
    }
  return rows;
}

Json tuning_json(const TuningReport& report) {
  Json findings = Json::array();
  for (const auto& [word, sentence] : tuning_findings(report))
    findings.push_back({{"about", word}, {"text", sentence}});
  return {{"tool", tool_json(report.version)},
          {"findings", findings},
          {"rows", json_of_rows(tuned_rows(report))}};
}

} // namespace

Json tuning_schema() {
  return schema::document(
      "The result of memlane tune",
      schema::object(
          "what --format json prints",
          {{"tool", tool_schema()},
           {"findings",
            schema::list(
                schema::object("a sentence", {{"about", schema::text("best, worth using, edge, …")},
                                              {"text", schema::text("what was found")}}),
                "in the order of the text")},
           {"rows", schema::list(stored_row_schema(), "each value on each machine")}}));
}

Json tuning_line_schema() { return line_document("tune", stored_row_schema()); }

std::string render_tuning(const TuningReport& report, Format format) {
  switch (format) {
  case Format::json: return json_text(tuning_json(report), 2);
  case Format::csv:
  case Format::jsonl: return render_rows({report.version, "", tuned_rows(report), {}}, format);
  case Format::markdown:
  case Format::latex: return tuning_paper(report, format);
  case Format::table: break;
  }
  return tuning_text(report);
}

} // namespace memlane
