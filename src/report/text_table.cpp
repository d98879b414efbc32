#include "memlane/report/text_table.hpp"

#include "memlane/support/escape.hpp"

#include <algorithm>

namespace memlane {
std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string counted(std::int64_t n, std::string_view one, std::string_view many) {
  return std::to_string(n) + ' ' + std::string(n == 1 ? one : many);
}

std::string on_one_line(std::string_view text, std::size_t most) {
  std::string blanks(text);
  std::replace_if(
      blanks.begin(), blanks.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; },
      ' ');
  std::string line;
  std::size_t columns = 0, kept = 0; // `kept`: what stays of the line if it must be cut
  for (std::string_view rest = blanks; !rest.empty();) {
    const std::size_t length = std::max<std::size_t>(1, character_length(rest));
    const std::string shown = escape_controls(rest.substr(0, length));
    columns += display_width(shown);
    if (columns > most) return line.substr(0, kept) + "…";
    line += shown;
    if (columns < most) kept = line.size();
    rest.remove_prefix(length);
  }
  return line;
}

std::string TextTable::text(std::size_t indent) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      const std::string blanks(widths[i] - display_width(row[i]), ' ');
      line += columns_[i] == Align::right ? blanks + row[i] : row[i] + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

} // namespace memlane
