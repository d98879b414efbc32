// As much of Markdown as the tests of the documents need: fenced blocks, tables, headings, anchors.
#pragma once

#include <string>
#include <vector>

namespace memlane::test {

using Lines = std::vector<std::string>;

/// The lines of every fenced block of a kind, without the fences.
std::vector<Lines> blocks_of(const std::string& text, const std::string& kind);

/// The cells of a table's rows, the header first; rows of dashes are left out.
using Table = std::vector<std::vector<std::string>>;
/// All tables outside fenced blocks.
std::vector<Table> tables_of(const std::string& text);

struct Heading {
  int level = 0;      ///< the number of `#`
  std::string text;   ///< "3. Time"
  std::string anchor; ///< "3-time", as links name it
};
std::vector<Heading> headings_of(const std::string& text);

/// The text from the line that is the heading to the next heading of its level, or to the end.
std::string section_of(const std::string& text, const std::string& heading_line);

/// The cell without the backquotes around it.
std::string without_quotes(const std::string& cell);

} // namespace memlane::test
