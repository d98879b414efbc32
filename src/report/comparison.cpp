#include "memlane/report/comparison.hpp"

#include "cells.hpp"
#include "line_columns.hpp"

#include "memlane/report/json_parts.hpp"
#include "memlane/report/paper_table.hpp"
#include "memlane/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace memlane {

using sweep::Comparison;
using sweep::ComparisonRow;
using sweep::Ran;
using sweep::SameResults;

namespace {

/// The counts of a row, by name; empty cells where there are none.
struct RowCells {
  std::string time, ratio, stages, conflicts;
};

RowCells cells_of(const Comparison& comparison, const ComparisonRow& row, std::string_view form) {
  RowCells cells;
  if (!row.counted()) return cells;
  const UnitCounts units = all_units(row.counts);
  cells.time = std::to_string(row.counts.time.value);
  if (const auto ratio = ratio_to_best(comparison, row)) {
    cells.ratio = fmt::format(fmt::runtime(form), *ratio);
  }
  cells.stages = std::to_string(units.stages);
  cells.conflicts = std::to_string(units.conflicts());
  return cells;
}

std::string with_blanks(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string comparison_table(const Comparison& comparison) {
  const auto left = Align::left, right = Align::right;
  TextTable table({left, left, right, right, right, right, left, left, left, left});
  table.add({"machine", "program", "time", "ratio", "stages", "conflicts", "verify", "results",
             "largest bound", ""});
  for (const ComparisonRow& row : comparison.rows) {
    const RowCells cells = cells_of(comparison, row, "{:.3f}");
    const bool says_all = row.counted();
    std::string note = says_all ? "" : with_blanks(name_of(row.ran));
    if (!row.reason.empty()) note += (note.empty() ? "" : ": ") + on_one_line(row.reason, 300);
    if (row.races > 0)
      note += fmt::format("{}{} (allowed: {})", note.empty() ? "" : "; ",
                          row.races == 1 ? "1 race" : fmt::format("{} races", row.races),
                          on_one_line(row.info.races_allowed, 300));
    const bool done = row.ran == Ran::done;
    table.add({on_one_line(row.machine, 60), on_one_line(row.program, 60), cells.time, cells.ratio,
               cells.stages, cells.conflicts, done ? std::string(name_of(row.verify)) : "",
               done ? std::string(name_of(row.results)) : "",
               row.largest ? with_blanks(name_of(*row.largest)) : "", std::move(note)});
  }
  std::string text = table.text() + "\nresults compared: ";
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

std::string comparison_csv(const Comparison& comparison) {
  std::string text = "machine,program,sha256,parameters,layouts,fns,types,state,reason,time,ratio,"
                     "stages,conflicts,races_allowed,races,verify,results,largest\n";
  for (const ComparisonRow& row : comparison.rows) {
    const RowCells cells = cells_of(comparison, row, "{}");
    const bool races = !row.info.races_allowed.empty() && row.counted() && !comparison.timing_only;
    const std::array<std::string, 18> fields = {row.machine,
                                                row.program,
                                                row.info.sha256,
                                                parameters_cell(row.info),
                                                replaced_cell(row.info, "--layout"),
                                                replaced_cell(row.info, "--fn"),
                                                replaced_cell(row.info, "--type"),
                                                std::string(name_of(row.ran)),
                                                row.reason,
                                                cells.time,
                                                cells.ratio,
                                                cells.stages,
                                                cells.conflicts,
                                                row.info.races_allowed,
                                                races ? std::to_string(row.races) : "",
                                                std::string(name_of(row.verify)),
                                                std::string(name_of(row.results)),
                                                row.largest ? std::string(name_of(*row.largest))
                                                            : ""};
    for (std::size_t i = 0; i < fields.size(); ++i) {
      text += (i == 0 ? "" : ",") + csv_cell(fields[i]);
    }
    text += '\n';
  }
  return text;
}

PaperTable comparison_paper(const Comparison& comparison) {
  const auto left = Align::left, right = Align::right;
  PaperTable table("Comparison", {{"machine", left},
                                  {"program", left},
                                  {"time", right},
                                  {"ratio", right},
                                  {"stages", right},
                                  {"conflicts", right},
                                  {"verify", left},
                                  {"results", left},
                                  {"remark", left}});
  for (const ComparisonRow& row : comparison.rows) {
    const RowCells cells = cells_of(comparison, row, "{:.3f}");
    const bool done = row.ran == Ran::done;
    std::string remark = done ? "" : with_blanks(name_of(row.ran));
    if (!row.reason.empty()) remark += (remark.empty() ? "" : ": ") + row.reason;
    table.add({row.machine, row.program, cells.time, cells.ratio, cells.stages, cells.conflicts,
               done ? std::string(name_of(row.verify)) : "",
               done ? std::string(name_of(row.results)) : "", remark});
  }
  return table;
}

} // namespace

UnitCounts all_units(const Counts& counts) {
  UnitCounts sum;
  for (const UnitCounts& unit : counts.global) sum += unit;
  for (const UnitCounts& unit : counts.shared) sum += unit;
  return sum;
}

std::string render_comparison(const Comparison& comparison, Format format, TableStyle) {
  switch (format) {
  case Format::json: return json_text(comparison_json(comparison), 2);
  case Format::csv:
    return comparison.lines ? line_csv(*comparison.lines) : comparison_csv(comparison);
  case Format::jsonl: {
    std::string text;
    if (comparison.lines) {
      for (const LinePair& pair : comparison.lines->lines) text += json_text(line_json(pair), -1);
      return text;
    }
    for (const ComparisonRow& row : comparison.rows) {
      text += json_text(row_json(comparison, row), -1);
    }
    return text;
  }
  case Format::markdown:
  case Format::latex: {
    std::vector<PaperTable> tables{comparison_paper(comparison)};
    if (comparison.lines) tables.push_back(line_paper(*comparison.lines));
    return paper_text(tables, format);
  }
  case Format::table: break;
  }
  return comparison_table(comparison);
}

} // namespace memlane
