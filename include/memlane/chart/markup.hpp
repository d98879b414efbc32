// Texts of pages: within SVG and HTML, and the styles and scripts that are files in src/pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace memlane {

/// The text for XML and HTML, within elements and attributes: their own characters as references;
/// control characters, bytes that are not UTF-8 and U+FFFE and U+FFFF as escapes
/// (support/text.hpp).
std::string escaped(std::string_view text);

/// The width of a text in a sans-serif font of a size, in the unit of the size. An upper estimate:
/// the reader's font is not known.
double text_width(std::string_view text, double size);
/// The text, or as much of it as fits into the width, with an ellipsis.
std::string shortened(std::string_view text, double size, double width);
/// The texts, each within the width. If one is too long, what all begin with, or end with, becomes
/// an ellipsis; those that still are too long lose their middle.
std::vector<std::string> told_apart(const std::vector<std::string>& texts, double size,
                                    double width);
/// Lines that fit into the width, broken at spaces, and within words that are too long.
std::vector<std::string> wrapped(std::string_view text, double size, double width);

/// page.css.
std::string_view page_style();
/// page.js.
std::string_view page_script();
/// timeline.css.
std::string_view timeline_style();
/// The player of timelines (timeline_page.js with its imports), in parts.
const std::vector<std::string_view>& timeline_script();

} // namespace memlane
