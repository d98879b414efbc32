// Bytes as letters: base 64 (RFC 4648).
#pragma once

#include <string>
#include <string_view>

namespace memlane {

/// With `+`, `/` and padding, as scripts of pages read it.
std::string base64(std::string_view bytes);
/// With `-` and `_` and without padding, as addresses hold it.
std::string base64url(std::string_view bytes);

} // namespace memlane
