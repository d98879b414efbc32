// Texts of pages that are files in src/pages; CMake makes the functions.
#pragma once

#include <string_view>
#include <vector>

namespace memlane {

/// page.css.
std::string_view page_style();
/// page.js with Observable Plot, in parts; none where npm was missing when memlane was built.
const std::vector<std::string_view>& page_script();
/// timeline.css.
std::string_view timeline_style();
/// The player of timelines (timeline_page.js with its imports), minified where npm was there.
const std::vector<std::string_view>& timeline_script();

} // namespace memlane
