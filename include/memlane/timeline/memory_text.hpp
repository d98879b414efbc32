// A picture of the memory that one request accesses, as text.
#pragma once

#include "memlane/timeline/timeline.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace memlane {

/// Draws the memory that the request with the most stages accesses, the first of these: of `line`
/// of the program if a request is of it, else of all. A sentence says what it accesses; below,
/// banks are side by side and address groups below each other, with the numbers of the lanes where
/// they access; a legend has the marks. `columns`: of a line; a narrow picture has the banks in use
/// alone. The page's picture of memory (memory_element) shows the same. O(w log w) for w lanes.
std::string memory_text(const Timeline& timeline, const Sources& sources,
                        std::optional<std::int32_t> line, std::size_t columns);

} // namespace memlane
