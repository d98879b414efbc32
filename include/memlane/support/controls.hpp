// Characters that would steer a terminal, or turn the text around them, instead of being shown.
#pragma once

#include <string_view>

namespace memlane {

/// Is this character, in UTF-8, a control (C0, delete, C1), a line or paragraph separator, or one
/// that changes the direction of text? (Unicode's U+200E, 200F, 2028 to 202E, 2066 to 2069.)
bool is_control(std::string_view character);
/// Does the text hold one?
bool has_control(std::string_view text);

} // namespace memlane
