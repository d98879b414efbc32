// UTF-8, and escapes that make text from files and command lines safe to print: valid UTF-8 without
// characters that steer a terminal or change the direction of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memlane {

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

} // namespace memlane
