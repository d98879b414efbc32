// Texts of pages that are files in src/pages; CMake makes the functions.
#pragma once

#include <string_view>
#include <vector>

namespace memlane {

/// page.css.
std::string_view page_style();
/// page.js.
std::string_view page_script();
/// timeline.css.
std::string_view timeline_style();
/// The player of timelines (timeline_page.js with its imports), in parts.
const std::vector<std::string_view>& timeline_script();

} // namespace memlane
