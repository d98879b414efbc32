// Charts in papers: their size, and as pictures of LaTeX.
#pragma once

#include "memlane/chart/chart.hpp"
#include "memlane/support/result.hpp"

#include <string>
#include <vector>

namespace memlane {

/// A look of this size: `3.5inx2.4in`, `88x60mm`; also cm and pt, and inches where there is no
/// unit. It is bare. `place` is where the text is from. Errors: another text, less than 1 or more
/// than 40 inches.
Result<ChartLook> look_of_size(const std::string& place, const std::string& text);

/// Each chart as a `tikzpicture` of pgfplots, which the first line names: an axis, or a group of
/// axes where there are several panels. Frames and ticks are those of chart_svg, where a text of 12
/// units has 8 points. Of points that cover each other, one is drawn.
std::string charts_tikz(const std::vector<Chart>& charts);

} // namespace memlane
