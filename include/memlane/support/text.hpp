// Text as terminals and messages show it: width, one line, shortened, plural.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace memlane {

/// Columns a text takes in a terminal, each UTF-8 character being one wide.
std::size_t display_width(std::string_view text);
/// `1 request`, `2 requests`: the plural of a noun that takes an s.
std::string counted(std::int64_t n, std::string_view noun);
std::string counted(std::int64_t n, std::string_view one, std::string_view many);
/// `s` unless n is 1.
constexpr std::string_view plural_s(std::int64_t n) { return n == 1 ? "" : "s"; }
/// The text on one line: line ends and tabs become blanks, other control characters and bytes that
/// are not UTF-8 become escapes (support/utf8.hpp). What is longer than `most` columns ends in `…`.
std::string on_one_line(std::string_view text, std::size_t most);
/// The first 400 bytes or so of a text, up to a whole character, and a sign that there was more.
std::string shortened(const std::string& text);
/// A piece of source on one line, blanks together, shortened.
std::string source_on_one_line(std::string_view text);

} // namespace memlane
