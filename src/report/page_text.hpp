// Texts of pages that are files in src/pages; CMake makes the functions.
#pragma once

#include "memlane/report/charts_page.hpp"

#include <string>
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

/// charts_page with these parts as its script; without any, the page is as if npm was missing.
std::string page_with_script(const ChartsPage& page, const std::vector<std::string_view>& script);

} // namespace memlane
