#include "markdown.hpp"

#include "cli/shell.hpp"
#include "support/catch.hpp"

#include <cctype>

namespace memlane::test {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

bool is_fence(const std::string& line) { return line.rfind("```", 0) == 0; }

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  for (std::size_t at = 0; at + 1 < row.size();) {
    const std::size_t end = row.find('|', at + 1);
    REQUIRE(end != std::string::npos);
    cells.push_back(trimmed(row.substr(at + 1, end - at - 1)));
    at = end;
  }
  return cells;
}

/// Letters in lower case, digits, `-` and `_` stay, spaces become `-`, the rest disappears.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto letter = static_cast<unsigned char>(c);
    if (std::isalnum(letter) || c == '-' || c == '_')
      anchor += static_cast<char>(std::tolower(letter));
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

} // namespace

std::vector<Lines> blocks_of(const std::string& text, const std::string& kind) {
  std::vector<Lines> blocks;
  bool inside = false, wanted = false;
  for (const std::string& line : lines_of(text)) {
    if (is_fence(line)) {
      inside = !inside;
      wanted = inside && line == "```" + kind;
      if (wanted) blocks.emplace_back();
    } else if (wanted) {
      blocks.back().push_back(line);
    }
  }
  CHECK_FALSE(inside);
  return blocks;
}

std::vector<Table> tables_of(const std::string& text) {
  std::vector<Table> tables;
  bool in_block = false, in_table = false;
  for (const std::string& line : lines_of(text)) {
    if (is_fence(line)) in_block = !in_block;
    const bool row = !in_block && line.rfind("|", 0) == 0;
    if (row && !in_table) tables.emplace_back();
    in_table = row;
    if (row && line.rfind("|---", 0) != 0) tables.back().push_back(cells_of(line));
  }
  return tables;
}

std::vector<Heading> headings_of(const std::string& text) {
  std::vector<Heading> headings;
  bool in_block = false;
  for (const std::string& line : lines_of(text)) {
    if (is_fence(line)) in_block = !in_block;
    const std::size_t level = line.find_first_not_of('#');
    if (in_block || level == 0 || level == std::string::npos || line[level] != ' ') continue;
    const std::string heading = line.substr(level + 1);
    headings.push_back({static_cast<int>(level), heading, anchor_of(heading)});
  }
  return headings;
}

std::string section_of(const std::string& text, const std::string& heading_line) {
  const std::size_t begin = ("\n" + text).find("\n" + heading_line + "\n");
  INFO(heading_line);
  REQUIRE(begin != std::string::npos);
  const std::string marks = heading_line.substr(0, heading_line.find(' ') + 1);
  const std::size_t end = text.find("\n" + marks, begin + 1);
  return text.substr(begin, end == std::string::npos ? end : end + 1 - begin);
}

std::string without_quotes(const std::string& cell) {
  INFO(cell);
  REQUIRE(cell.size() > 2);
  REQUIRE(cell.front() == '`');
  REQUIRE(cell.find('`', 1) == cell.size() - 1);
  return cell.substr(1, cell.size() - 2);
}

} // namespace memlane::test
