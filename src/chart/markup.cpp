#include "memlane/chart/markup.hpp"

#include "memlane/support/text.hpp"

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

namespace {

/// How many first bytes all texts share, up to the end of a word; of texts read backwards, the
/// last.
std::size_t common_bytes(const std::vector<std::string>& texts, bool backwards) {
  const auto at = [&](const std::string& text, std::size_t i) {
    return backwards ? text[text.size() - 1 - i] : text[i];
  };
  std::size_t words = 0;
  for (std::size_t i = 0;; ++i) {
    for (const std::string& text : texts)
      if (i + 1 >= text.size() || at(text, i) != at(texts.front(), i)) return words;
    if (std::string_view(" ,/=-_.").find(at(texts.front(), i)) != std::string_view::npos)
      words = i + 1;
  }
}

/// A text without its middle.
std::string without_middle(const std::string& text, double size, double width) {
  if (fitting(text, size, width) == text.size()) return text;
  const double half = std::max(0.0, width - size) / 2;
  const std::size_t begin = fitting(text, size, half);
  std::size_t end = text.size();
  for (double used = 0; end > begin;) {
    std::size_t before = end - 1;
    while (before > begin && (static_cast<unsigned char>(text[before]) & 0xc0U) == 0x80U) --before;
    used += text_width(std::string_view(text).substr(before, end - before), size);
    if (used > half) break;
    end = before;
  }
  return text.substr(0, begin) + "…" + text.substr(end);
}

} // namespace

std::vector<std::string> told_apart(const std::vector<std::string>& texts, double size,
                                    double width) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(escape_controls(text));
  const auto fits = [&](const std::string& t) { return fitting(t, size, width) == t.size(); };
  if (std::all_of(all.begin(), all.end(), fits)) return all;
  std::vector<std::string> filled; // panels may be without a title
  for (const std::string& text : all)
    if (!text.empty()) filled.push_back(text);
  const std::size_t begin = filled.size() < 2 ? 0 : common_bytes(filled, false);
  for (std::string& text : filled) text.erase(0, begin);
  const std::size_t end = filled.size() < 2 ? 0 : common_bytes(filled, true);
  for (std::string& text : all) {
    if (text.empty()) continue;
    text = (begin > 0 ? "…" : "") + text.substr(begin, text.size() - begin - end) +
           (end > 0 ? "…" : "");
    text = without_middle(text, size, width);
  }
  return all;
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
