// Text for terminals, messages and shells: width, one line, plural, numbers, escapes, quotes.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memlane {

/// Columns of a text in a terminal, one for each UTF-8 character.
std::size_t display_width(std::string_view text);
/// `1 request`, `2 requests`: the plural of a noun that takes an s.
std::string counted(std::int64_t n, std::string_view noun);
std::string counted(std::int64_t n, std::string_view one, std::string_view many);
/// `s` unless n is 1.
constexpr std::string_view plural_s(std::int64_t n) { return n == 1 ? "" : "s"; }
/// The text on one line: line ends and tabs become blanks, other control characters and bytes that
/// are not UTF-8 become escapes (see below). A text of more than `most` columns ends in `…`.
std::string on_one_line(std::string_view text, std::size_t most);
/// The text, or its first 400 bytes, cut between characters, and `…`.
std::string shortened(const std::string& text);
/// Source text on one line, with single blanks and without its `//` comments.
std::string compact_source(std::string_view text);
/// The same, shortened.
std::string source_on_one_line(std::string_view text);

/// The double nearest to a number that is written as in JSON; none if it is too large. The caller
/// has checked how it is written.
std::optional<double> real_value(std::string_view number);
/// The number, if the whole text is one that its type can hold.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}
/// A number that was measured or computed: four digits, and all those before the point.
std::string short_number(double value);
/// Nanoseconds, with ns, µs, ms or s.
std::string short_time(double ns);

// UTF-8, and escapes that make text from files and command lines safe to print: valid UTF-8 without
// characters that steer a terminal or change the direction of text.

/// Bytes of the text's first UTF-8 character; 0 if it is invalid (RFC 3629, section 4).
std::size_t character_length(std::string_view text);
/// Appends a code point, at most 10FFFF.
void append_utf8(std::string& text, std::uint32_t code_point);
/// Whether a UTF-8 character is a control (C0, delete, C1), a line or paragraph separator, or
/// changes the direction of text. (Unicode's U+061C, 200E, 200F, 2028 to 202E, 2066 to 2069.)
bool is_control(std::string_view character);
/// Whether the text contains such a character.
bool has_control(std::string_view text);

/// The text with each control character and each byte that is not UTF-8 as an escape: `\n`, `\t`,
/// `\x1b`, `\u202e`, `\xff`. Does not escape the characters of `keep`. O(n).
std::string escape_controls(std::string_view text, std::string_view keep = "");

// Command lines that can be pasted into a shell.

/// The word as POSIX shells read it back: in single quotes where it holds anything but letters,
/// digits and `_@%+=:,./-`.
std::string shell_word(std::string_view word);

} // namespace memlane
