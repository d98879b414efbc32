// A point's whole result in the file: JSON, compressed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace memlane::sweep {

/// Cost: O(size).
std::string packed_output(std::string_view json);
/// None if the bytes are damaged.
std::optional<std::string> unpacked_output(std::string_view bytes);

} // namespace memlane::sweep
