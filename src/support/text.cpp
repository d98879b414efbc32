#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>

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

// A stream of the classic locale, since libc++ 13 lacks std::from_chars of reals.
std::optional<double> real_value(std::string_view number) {
  std::istringstream stream{std::string(number)};
  stream.imbue(std::locale::classic());
  double value = 0;
  stream >> value;
  const bool too_large = stream.fail() && std::abs(value) >= std::numeric_limits<double>::max();
  return too_large || !std::isfinite(value) ? std::nullopt : std::optional(value);
}

std::string short_number(double value) {
  const bool whole = value == std::round(value);
  if ((whole || std::abs(value) >= 1000) && std::abs(value) < 1e9)
    return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

std::string short_time(double ns) {
  constexpr std::array<const char*, 4> units = {"ns", "µs", "ms", "s"};
  std::size_t unit = 0;
  while (ns >= 1000 && unit + 1 < units.size()) {
    ns /= 1000;
    ++unit;
  }
  return fmt::format("{:.4g} {}", ns, units[unit]);
}

std::size_t character_length(std::string_view text) {
  if (text.empty()) return 0;
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

void append_utf8(std::string& text, std::uint32_t code_point) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xc0u | code_point >> 6);
    put(0x80u | (code_point & 0x3fu));
  } else if (code_point < 0x10000) {
    put(0xe0u | code_point >> 12);
    put(0x80u | (code_point >> 6 & 0x3fu));
    put(0x80u | (code_point & 0x3fu));
  } else {
    put(0xf0u | code_point >> 18);
    put(0x80u | (code_point >> 12 & 0x3fu));
    put(0x80u | (code_point >> 6 & 0x3fu));
    put(0x80u | (code_point & 0x3fu));
  }
}

bool is_control(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
  if (character.size() == 2)
    return (byte(0) == 0xc2 && byte(1) < 0xa0) || (byte(0) == 0xd8 && byte(1) == 0x9c);
  if (character.size() != 3 || byte(0) != 0xe2) return false;
  const int last = byte(2);
  if (byte(1) == 0x80) return last == 0x8e || last == 0x8f || (last >= 0xa8 && last <= 0xae);
  return byte(1) == 0x81 && last >= 0xa6 && last <= 0xa9;
}

bool has_control(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    for (std::size_t size = 1; size <= 3; ++size)
      if (is_control(text.substr(at, size))) return true;
  return false;
}

namespace {

constexpr char digits[] = "0123456789abcdef";

std::string byte_escape(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return {'\\', 'x', digits[value >> 4], digits[value & 15]};
}

/// The escape of a control character: all of them have code points below 2^16.
std::string escape_of(std::string_view character) {
  if (character == "\n") return "\\n";
  if (character == "\t") return "\\t";
  if (character == "\r") return "\\r";
  if (character.size() == 1) return byte_escape(character[0]);
  unsigned point = static_cast<unsigned char>(character[0]) & (character.size() == 2 ? 0x1f : 0x0f);
  for (const char byte : character.substr(1))
    point = point << 6 | (static_cast<unsigned char>(byte) & 0x3f);
  std::string text = "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) text += digits[point >> shift & 15];
  return text;
}

} // namespace

std::string escape_controls(std::string_view text, std::string_view keep) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length == 0)
      out += byte_escape(character[0]);
    else if (is_control(character) && keep.find(character) == std::string_view::npos)
      out += escape_of(character);
    else
      out += character;
    text.remove_prefix(character.size());
  }
  return out;
}

std::string shell_word(std::string_view word) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789_@%+=:,./-";
  const bool bare = !word.empty() && word.find_first_not_of(plain) == std::string_view::npos;
  if (bare) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + '\'';
}

} // namespace memlane
