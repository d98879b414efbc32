#include "words.hpp"

#include "memlane/show/text_table.hpp"

#include <algorithm>
#include <sstream>

namespace memlane {

namespace {

constexpr std::size_t widest = 80, margin = 2, between = 2;

/// Lists of columns that fit into a line, each with the row's name, column 1.
std::vector<std::vector<std::size_t>> parts_of_rows(const GroupedTable& table) {
  std::vector<std::vector<std::size_t>> parts{{1}};
  const auto width = [&](std::size_t column) {
    std::size_t most = display_width(table.headings[column]);
    for (const auto& row : table.rows) most = std::max(most, display_width(row[column]));
    return most;
  };
  std::size_t used = margin + width(1);
  for (std::size_t column = 2; column < table.headings.size(); ++column) {
    if (table.headings[column].empty()) continue; // notes
    const std::size_t more = between + width(column);
    if (used + more > widest && parts.back().size() > 1) {
      parts.push_back({1});
      used = margin + width(1);
    }
    parts.back().push_back(column);
    used += more;
  }
  return parts;
}

std::string note_of(const GroupedTable& table, const std::vector<std::string>& row) {
  std::string note;
  for (std::size_t column = 2; column < row.size(); ++column)
    if (table.headings[column].empty()) note += row[column];
  return note;
}

} // namespace

std::string GroupedTable::text() const {
  std::string all;
  for (const std::vector<std::size_t>& part : parts_of_rows(*this)) {
    const bool is_first = all.empty();
    std::vector<Align> own;
    for (const std::size_t column : part) own.push_back(aligns[column]);
    TextTable table(own);
    const auto cells = [&](const std::vector<std::string>& row) {
      std::vector<std::string> some;
      for (const std::size_t column : part) some.push_back(row[column]);
      return some;
    };
    table.add(cells(headings));
    for (const auto& row : rows) table.add(cells(row));
    std::istringstream lines(table.text(margin, widest));
    std::string line, group;
    std::getline(lines, line);
    all += (is_first ? "" : "\n") + line + '\n';
    for (const auto& row : rows) {
      std::getline(lines, line);
      const bool is_empty = std::all_of(part.begin() + 1, part.end(),
                                        [&](std::size_t column) { return row[column].empty(); });
      if (is_empty && !is_first) continue;
      if (row[0] != group) all += on_one_line(row[0], widest) + '\n';
      group = row[0];
      all += line + '\n';
      if (const std::string note = note_of(*this, row); is_first && !note.empty())
        all += "    " + hanging_lines(note, 4);
    }
  }
  return all;
}

} // namespace memlane
