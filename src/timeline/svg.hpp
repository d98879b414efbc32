// A time chart as SVG, in the style of the papers' figures: warps down, time across.
#pragma once

#include "memlane/timeline/text.hpp"
#include "memlane/timeline/timeline.hpp"

#include <string>
#include <string_view>

namespace memlane {

/// A document of its own, ending with a line end: a row for each chosen warp, up to
/// `style.most_warps` of them, and for each port that a request uses. It draws at most
/// `most_svg_units` time units, from the begin of the window on; a sentence below says what is not
/// drawn. Cost: O(n log n) for n spans of warps.
std::string timeline_svg(const Timeline& timeline, const ChartStyle& style, std::string_view title);
inline constexpr std::int64_t most_svg_units = 2000;

} // namespace memlane
