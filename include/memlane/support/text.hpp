// Formats text for terminals and messages: width, one line, shortened, plural.
#pragma once

#include <cstdint>
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
/// are not UTF-8 become escapes (support/utf8.hpp). A text of more than `most` columns ends in `…`.
std::string on_one_line(std::string_view text, std::size_t most);
/// The text, or its first 400 bytes, cut between characters, and `…`.
std::string shortened(const std::string& text);
/// Source text on one line, with single blanks and without its `//` comments.
std::string compact_source(std::string_view text);
/// The same, shortened.
std::string source_on_one_line(std::string_view text);

/// A number that was measured or computed: four digits, and all those before the point.
std::string short_number(double value);

} // namespace memlane
