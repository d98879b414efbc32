// Searches of one count at several points: a row for each.
#include "worst_words.hpp"

#include "memlane/show/json_parts.hpp"
#include "memlane/show/paper_table.hpp"
#include "memlane/study/results/stored_rows.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace memlane {

using schema::Json;
using sweep::Cell;

namespace {

/// The bound of a claim that is one; null: none is.
const ClaimOutcome* bound_of(const WorstReport& report) {
  const auto exact =
      std::find_if(report.about.begin(), report.about.end(), [](const ClaimOutcome& claim) {
        return is_exact(claim.kind) && !claim.right.text.empty();
      });
  return exact == report.about.end() ? nullptr : &*exact;
}

/// `sum on hmm-titan` of `sum on hmm-titan, n=64`.
std::string without_values(const WorstReport& report) {
  return report.label.substr(0, report.label.find(", "));
}

/// Whether points differ by the values of their axes alone.
bool differ_by_values(const std::vector<WorstReport>& reports) {
  return !reports.front().values.empty() &&
         std::all_of(reports.begin(), reports.end(), [&](const WorstReport& report) {
           return without_values(report) == without_values(reports.front());
         });
}

sweep::Rows rows_of_each(const std::vector<WorstReport>& reports) {
  sweep::Rows rows;
  rows.columns = {"point", "input", "count", "value", "bound", "found_in_run", "runs"};
  for (const auto& [axis, value] : reports.front().values) rows.columns.push_back(axis);
  for (const WorstReport& report : reports) {
    const ClaimOutcome* bound = bound_of(report);
    std::vector<Cell>& cells = rows.rows.emplace_back(
        std::vector<Cell>{report.label, report.how, report.count, Cell(report.number),
                          bound ? Cell(bound->right.value) : Cell(), report.trial, report.trials});
    for (const auto& [axis, value] : report.values) {
      const auto number = number_of<std::int64_t>(value);
      cells.push_back(number ? Cell(*number) : Cell(value));
    }
  }
  return rows;
}

/// What is wrong somewhere, with the point's name; what is left out of all once.
Findings problems_of_each(const std::vector<WorstReport>& reports) {
  Findings found;
  for (const WorstReport& report : reports)
    for (auto& [word, sentence] : problems_of(report, true))
      if (word != "left out" || &report == &reports.front())
        found.emplace_back(word, word == "left out" ? sentence : report.label + ": " + sentence);
  return found;
}

/// A row for each point, the head first.
struct RowsOfEach {
  std::vector<PaperColumn> columns;
  std::vector<std::vector<std::string>> rows;
};

RowsOfEach table_of_each(const std::vector<WorstReport>& reports) {
  const bool by_values = differ_by_values(reports);
  const bool bounded = std::any_of(reports.begin(), reports.end(), bound_of);
  RowsOfEach table;
  if (by_values)
    for (const auto& [axis, value] : reports.front().values)
      table.columns.push_back({axis, Align::right});
  else
    table.columns.push_back({"point"});
  table.columns.push_back({reports.front().count, Align::right});
  table.columns.push_back({"input"});
  if (bounded) table.columns.push_back({"bound", Align::right});
  for (const WorstReport& report : reports) {
    std::vector<std::string>& cells = table.rows.emplace_back();
    if (by_values)
      for (const auto& [axis, value] : report.values) cells.push_back(value);
    else
      cells.push_back(report.label);
    cells.insert(cells.end(), {report.value, report.how});
    const ClaimOutcome* bound = bound_of(report);
    if (bounded) cells.push_back(bound ? bound->right.text : "");
  }
  return table;
}

std::string caption_of_each(const std::vector<WorstReport>& reports) {
  const WorstReport& first = reports.front();
  return differ_by_values(reports)
             ? fmt::format("{}: {} {}", without_values(first), extreme(first), first.count)
             : fmt::format("{} {} of each point", extreme(first), first.count);
}

std::vector<PaperTable> papers_of_each(const std::vector<WorstReport>& reports) {
  RowsOfEach each = table_of_each(reports);
  std::vector<PaperTable> papers;
  PaperTable& table = papers.emplace_back(caption_of_each(reports), std::move(each.columns));
  for (std::vector<std::string>& row : each.rows) table.add(std::move(row));
  const Findings problems = problems_of_each(reports);
  if (problems.empty()) return papers;
  PaperTable& findings =
      papers.emplace_back("Findings", std::vector<PaperColumn>{PaperColumn{""}, PaperColumn{""}});
  for (const auto& [word, sentence] : problems) findings.add({word, sentence});
  return papers;
}

std::string text_of_each(const std::vector<WorstReport>& reports) {
  const RowsOfEach each = table_of_each(reports);
  std::vector<Align> aligns;
  std::vector<std::string> head;
  for (const PaperColumn& column : each.columns) {
    aligns.push_back(column.align);
    head.push_back(column.name);
  }
  TextTable table(aligns);
  table.add(head);
  for (const std::vector<std::string>& row : each.rows) table.add(row);
  std::string text = caption_of_each(reports) + '\n' + table.text();
  TextTable findings({Align::left, Align::left});
  const Findings problems = problems_of_each(reports);
  for (const auto& [word, sentence] : problems) findings.add({word + ":", sentence});
  return problems.empty() ? text : text + '\n' + findings.text();
}

} // namespace

Json worst_of_each_schema() {
  return schema::document("The result of memlane worst --each",
                          schema::list(schema_of_search("a point"), "what --format json prints"));
}

std::string render_worst_of_each(const std::vector<WorstReport>& reports, Format format) {
  switch (format) {
  case Format::json: {
    Json points = Json::array();
    for (const WorstReport& report : reports) points.push_back(worst_json(report));
    return json_text(points, 2);
  }
  case Format::csv:
  case Format::jsonl:
    return render_rows({reports.front().version, "", rows_of_each(reports), {}}, format);
  case Format::markdown:
  case Format::latex: return paper_text(papers_of_each(reports), format);
  case Format::table: break;
  }
  return text_of_each(reports);
}

} // namespace memlane
