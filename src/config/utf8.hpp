// UTF-8: what JSON texts are written in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace memlane {

/// Bytes of the character that starts at `offset`, 0 if those bytes are none (overlong forms,
/// surrogates and code points beyond 10FFFF included).
std::size_t utf8_length(std::string_view text, std::size_t offset);

/// Appends a code point, at most 10FFFF.
void append_utf8(std::string& text, std::uint32_t code_point);

} // namespace memlane
