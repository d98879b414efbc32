#include "markup.hpp"

#include "memlane/support/utf8.hpp"

#include <algorithm>

namespace memlane {
namespace {

/// Of the size of the font: DejaVu Sans, one of the widest, rounded up.
double character_width(std::string_view character) {
  if (character.size() > 2) { // superscripts and punctuation; else scripts with square letters
    const bool punctuation = character[0] == '\xe2' && character[1] < '\xa0';
    return punctuation ? 0.65 : 1.05;
  }
  if (character.size() == 2) return 0.7;
  const char c = character[0];
  constexpr std::string_view narrow = " iIjl.,:;'|!", slim = "frt()[]/\\\"-", wide = "mwMW%@";
  if (narrow.find(c) != std::string_view::npos) return 0.34;
  if (slim.find(c) != std::string_view::npos) return 0.46;
  if (wide.find(c) != std::string_view::npos) return 1.0;
  if (c >= 'A' && c <= 'Z') return 0.74;
  return c == '+' || c == '=' || c == '<' || c == '>' ? 0.84 : 0.64;
}

/// The first character of a text that is valid UTF-8.
std::string_view first_of(std::string_view text) {
  return text.substr(0, std::max<std::size_t>(1, character_length(text)));
}

/// Bytes of the characters that fit.
std::size_t fitting(std::string_view text, double size, double width) {
  std::size_t at = 0;
  for (double used = 0; at < text.size(); at += first_of(text.substr(at)).size()) {
    used += size * character_width(first_of(text.substr(at)));
    if (used > width) break;
  }
  return at;
}

} // namespace

std::string escaped(std::string_view text) {
  std::string out;
  const std::string safe = escape_controls(text);
  for (std::size_t i = 0; i < safe.size(); ++i) {
    switch (safe[i]) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\'': out += "&#39;"; break;
    case '\xef': // U+FFFE and U+FFFF are not characters of XML (XML 1.0, section 2.2)
      if (safe.compare(i, 3, "\xef\xbf\xbe") == 0 || safe.compare(i, 3, "\xef\xbf\xbf") == 0) {
        out += safe[i + 2] == '\xbe' ? "\\ufffe" : "\\uffff";
        i += 2;
        break;
      }
      [[fallthrough]];
    default: out += safe[i];
    }
  }
  return out;
}

double text_width(std::string_view text, double size) {
  const std::string safe = escape_controls(text);
  double width = 0;
  for (std::string_view rest = safe; !rest.empty(); rest.remove_prefix(first_of(rest).size()))
    width += size * character_width(first_of(rest));
  return width;
}

std::string shortened(std::string_view text, double size, double width) {
  const std::string safe = escape_controls(text);
  if (fitting(safe, size, width) == safe.size()) return safe;
  return safe.substr(0, fitting(safe, size, width - size)) + "…";
}

std::vector<std::string> wrapped(std::string_view text, double size, double width) {
  std::vector<std::string> lines;
  const std::string safe = escape_controls(text);
  for (std::string_view rest = safe; !rest.empty();) {
    std::size_t end = fitting(rest, size, width), next = end;
    if (end < rest.size()) {
      const std::size_t space = rest.substr(0, end + 1).rfind(' ');
      if (space != std::string_view::npos && space > 0) end = space, next = space + 1;
      if (end == 0) end = next = first_of(rest).size(); // a width of nothing
    }
    lines.emplace_back(rest.substr(0, end));
    rest.remove_prefix(next);
  }
  return lines;
}

} // namespace memlane
