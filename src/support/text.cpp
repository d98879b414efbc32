#include "memlane/support/text.hpp"

#include "memlane/support/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memlane {

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string counted(std::int64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, plural_s(n));
}

std::string counted(std::int64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
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

std::string shortened(const std::string& text) {
  constexpr std::size_t most = 400;
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

std::string compact_source(std::string_view text) {
  std::string line;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool comment = !in_string && text.substr(at, 2) == "//";
    if (comment) at = std::min(text.find('\n', at), text.size() - 1);
    in_string = in_string != (text[at] == '"' && !comment);
    const bool space = comment || text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r');
    if (!space || (!line.empty() && line.back() != ' ')) line += space ? ' ' : text[at];
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

std::string source_on_one_line(std::string_view text) { return shortened(compact_source(text)); }

std::string short_number(double value) {
  const bool whole = value == std::round(value);
  if ((whole || std::abs(value) >= 1000) && std::abs(value) < 1e9)
    return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

} // namespace memlane
