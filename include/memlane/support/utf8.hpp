// UTF-8, and text from files and command lines made safe to show: no character of it steers a
// terminal, turns the text around it, or breaks UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memlane {

/// Bytes of the UTF-8 character that begins the text; 0 if none does (RFC 3629, section 4).
std::size_t character_length(std::string_view text);
/// Appends a code point, at most 10FFFF.
void append_utf8(std::string& text, std::uint32_t code_point);
/// Is this character, in UTF-8, a control (C0, delete, C1), a line or paragraph separator, or one
/// that changes the direction of text? (Unicode's U+061C, 200E, 200F, 2028 to 202E, 2066 to 2069.)
bool is_control(std::string_view character);
/// Does the text hold one?
bool has_control(std::string_view text);

/// The text with each control character and each byte that is not UTF-8 as an escape: `\n`, `\t`,
/// `\x1b`, `\u202e`, `\xff`. The characters of `keep` stay as they are. Costs one pass.
std::string escape_controls(std::string_view text, std::string_view keep = "");

} // namespace memlane
