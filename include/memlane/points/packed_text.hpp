// A text in few letters, for addresses and lines: deflated without a frame (RFC 1951), in
// base64url.
#pragma once

#include "memlane/support/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace memlane::sweep {

/// The page of the playground packs by its browser (src/pages/playground/storage.js). Cost: the
/// size of the text.
std::string packed(std::string_view text);

/// Errors: these are no letters of a packed text, or its text has more than `most` bytes. No more
/// than these are unpacked.
Result<std::string> unpacked(std::string_view letters, std::size_t most);

} // namespace memlane::sweep
