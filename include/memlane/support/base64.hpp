// Bytes as letters: base 64 (RFC 4648).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace memlane {

/// With `+`, `/` and padding, as scripts of pages read it.
std::string base64(std::string_view bytes);
/// With `-` and `_` and without padding, as addresses hold it.
std::string base64url(std::string_view bytes);
/// None: these are no letters that `base64url` makes.
std::optional<std::string> bytes_of_base64url(std::string_view letters);

} // namespace memlane
