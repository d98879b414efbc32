// The name of a program's text, so that a result can be traced to what made it.
#pragma once

#include "memlane/support/limits.hpp"

#include <string>
#include <string_view>

namespace memlane {

/// SHA-256 of the bytes (FIPS 180-4) as 64 small hexadecimal digits. O(size). If `watch` stops the
/// work, the result means nothing.
std::string sha256(std::string_view bytes, Watch* watch = nullptr);

} // namespace memlane
