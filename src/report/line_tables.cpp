// Two runs side by side, line by line, as people and programs read them.
#include "cells.hpp"
#include "line_columns.hpp"

#include "memlane/count/fields.hpp"
#include "memlane/report/text_table.hpp"

#include <fmt/format.h>

namespace memlane {
namespace {

std::string number_of(const std::optional<CountedLine>& line) {
  return line && line->number > 0 ? std::to_string(line->number) : "";
}

/// What differs: `requests +4, stages -12`; `only A`; nothing where the counts are equal.
std::string difference_of(const LinePair& pair) {
  if (!pair.second) return "only A";
  if (!pair.first) return "only B";
  std::string text;
  for (const LineColumn& column : line_columns) {
    const std::int64_t more = column.get(*pair.second) - column.get(*pair.first);
    if (more != 0) text += fmt::format("{}{} {:+}", text.empty() ? "" : ", ", column.name, more);
  }
  return text;
}

/// The sums over all lines of a run.
CountedLine sum_of_lines(const LineComparison& comparison, bool first) {
  CountedLine sum;
  for (const LinePair& pair : comparison.lines) {
    const auto& line = first ? pair.first : pair.second;
    if (!line) continue;
    sum.counts.requests += line->counts.requests;
    sum.counts.stages += line->counts.stages;
  }
  return sum;
}

void add_line_row(TextTable& table, const LinePair& pair, const std::string& source) {
  std::vector<std::string> row = {number_of(pair.first), number_of(pair.second)};
  for (const LineColumn& column : line_columns)
    for (const auto* line : {&pair.first, &pair.second})
      row.push_back(*line ? std::to_string(column.get(**line)) : "");
  row.push_back(source);
  row.push_back(difference_of(pair));
  table.add(std::move(row));
}

} // namespace

std::string line_table(const LineComparison& comparison) {
  const auto left = Align::left, right = Align::right;
  TextTable table({right, right, right, right, right, right, right, right, left, left});
  std::vector<std::string> names = {"line A", "B"};
  for (const LineColumn& column : line_columns) {
    names.push_back(fmt::format("{} A", column.name));
    names.emplace_back("B");
  }
  names.insert(names.end(), {"source", "B - A"});
  table.add(std::move(names));
  std::string first_file, second_file;
  for (const LinePair& pair : comparison.lines) {
    const CountedLine& shown = pair.first ? *pair.first : *pair.second;
    const std::string& file = pair.first ? first_file : second_file;
    if (shown.file != file && !file.empty())
      table.add({"", "", "", "", "", "", "", "", on_one_line(shown.file, 58) + ":"});
    if (pair.first) first_file = pair.first->file;
    if (pair.second) second_file = pair.second->file;
    add_line_row(table, pair, on_one_line(shown.text, 58));
    if (!pair.first || !pair.second || pair.first->text == pair.second->text) continue;
    table.add({"", "", "", "", "", "", "", "", "B: " + on_one_line(pair.second->text, 55)});
  }
  LinePair all{sum_of_lines(comparison, true), sum_of_lines(comparison, false)};
  add_line_row(table, all, "all lines");
  std::string text =
      fmt::format("by source line\n  A  {}\n  B  {}\n", on_one_line(comparison.first, 200),
                  on_one_line(comparison.second, 200));
  return text + table.text(2);
}

PaperTable line_paper(const LineComparison& comparison) {
  const auto left = Align::left, right = Align::right;
  std::vector<PaperColumn> columns = {{"line A", right}, {"line B", right}};
  for (const LineColumn& column : line_columns)
    for (const char* run : {"A", "B"})
      columns.push_back({fmt::format("{} {}", column.name, run), right});
  columns.push_back({"source A", left, true});
  columns.push_back({"source B", left, true});
  PaperTable table(
      fmt::format("Source lines of A, {}, and B, {}", comparison.first, comparison.second),
      columns);
  for (const LinePair& pair : comparison.lines) {
    std::vector<std::string> row = {number_of(pair.first), number_of(pair.second)};
    for (const LineColumn& column : line_columns)
      for (const auto* line : {&pair.first, &pair.second})
        row.push_back(*line ? std::to_string(column.get(**line)) : "");
    for (const auto* line : {&pair.first, &pair.second}) row.push_back(*line ? (*line)->text : "");
    table.add(std::move(row));
  }
  return table;
}

std::string line_csv(const LineComparison& comparison) {
  std::string text;
  for (const char* run : {"a", "b"}) {
    text += fmt::format("{0}{1}_run,{1}_file,{1}_line,{1}_source", text.empty() ? "" : ",", run);
    for (const Field<LineCounts>& field : line_fields())
      text += fmt::format(",{}_{}", run, field.name);
  }
  text += ",differs\n";
  for (const LinePair& pair : comparison.lines) {
    for (const auto* line : {&pair.first, &pair.second}) {
      const std::string& run = line == &pair.first ? comparison.first : comparison.second;
      text += fmt::format("{},{},{},{}", csv_cell(run), *line ? csv_cell((*line)->file) : "",
                          number_of(*line), *line ? csv_cell((*line)->text) : "");
      for (const Field<LineCounts>& field : line_fields())
        text += *line ? fmt::format(",{}", field.get((*line)->counts)) : ",";
      text += ',';
    }
    text += pair.differs() ? "true\n" : "false\n";
  }
  return text;
}

} // namespace memlane
