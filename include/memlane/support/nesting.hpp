// How deep a JSON text is nested: parsers and those who walk what they made recurse.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace memlane {

/// Objects and arrays inside each other in what memlane reads. Files that it writes have five.
constexpr int deepest_json = 64;

/// The offset of the first bracket that is nested deeper than that; nothing where there is none.
/// The text need not be JSON.
std::optional<std::size_t> nested_too_deep(std::string_view json);

} // namespace memlane
