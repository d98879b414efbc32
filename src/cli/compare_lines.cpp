#include "compare_lines.hpp"

#include "memlane/report/text_table.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

/// The lines of a run that made requests, in the order of files and lines.
std::vector<CountedLine> counted_lines(const ComparisonRow& row, const Sources& sources) {
  std::vector<CountedLine> lines;
  for (const auto& [place, counts] : row.counts.lines) {
    const auto [file, number] = place;
    CountedLine line{"", number, "", counts};
    if (file >= 0 && file < sources.count()) {
      std::string_view text = sources.line(file, number);
      text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
      line.file = sources.path(file);
      line.text = on_one_line(text, 200);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

bool counts_something(const ComparisonRow& row) {
  return row.ran == Ran::done || row.ran == Ran::stopped;
}

} // namespace

Status check_lines(const ComparisonWork& work) {
  Diagnostics errors;
  if (work.cells.size() != 2) {
    return error_in(
        "--lines",
        fmt::format("the lines of two runs are compared, and here {}",
                    work.cells.size() == 1 ? "is one" : fmt::format("are {}", work.cells.size())),
        {"two programs on one machine: memlane compare A B --lines -m MACHINE",
         "one program on two machines: memlane compare A --lines -m M1 -m M2",
         "two layouts: memlane compare A 'A --layout t=rows' --lines"});
  }
  for (const ComparisonCell& cell : work.cells)
    errors.insert(errors.end(), cell.errors.begin(), cell.errors.end());
  if (!errors.empty()) return errors;
  return Done{};
}

std::optional<LineComparison> compare_lines(const ComparisonWork& work) {
  const auto& rows = work.comparison.rows;
  if (!counts_something(rows[0]) || !counts_something(rows[1])) return std::nullopt;
  const auto name = [](const ComparisonRow& row) {
    return fmt::format("{} on {}", row.program, row.machine);
  };
  const bool same_text =
      rows[0].info.path == rows[1].info.path && rows[0].info.sha256 == rows[1].info.sha256;
  return LineComparison{name(rows[0]), name(rows[1]),
                        pair_lines(counted_lines(rows[0], work.sources),
                                   counted_lines(rows[1], work.sources),
                                   same_text ? LineMatch::number : LineMatch::text)};
}

} // namespace memlane::cli
