#include "memlane/report/text_table.hpp"

#include "memlane/support/controls.hpp"

#include <algorithm>

namespace memlane {
namespace {

/// Bytes of the UTF-8 character that begins the text; 0 if none does (RFC 3629, section 4).
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool outside = (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf4 && byte(1) > 0x8f);
  return overlong || outside ? 0 : length;
}

} // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string counted(std::int64_t n, std::string_view one, std::string_view many) {
  return std::to_string(n) + ' ' + std::string(n == 1 ? one : many);
}

std::string on_one_line(std::string_view text, std::size_t most) {
  std::string line;
  std::size_t columns = 0, last = 0; // `last`: where the last character of the line begins
  while (!text.empty()) {
    if (columns == most) {
      line.resize(last);
      return line + "…";
    }
    const std::size_t length = std::max<std::size_t>(1, character_length(text));
    const std::string_view character = text.substr(0, length);
    last = line.size();
    if (character_length(text) == 0) {
      line += '?';
    } else if (is_control(character)) {
      line += ' ';
    } else {
      line += character;
    }
    ++columns;
    text.remove_prefix(length);
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
