// The option --lines of compare: two runs, source line by source line.
#pragma once

#include "compare_work.hpp"

namespace memlane::cli {

/// Errors: the comparison does not have two runs, or one of them cannot begin.
Status check_lines(const ComparisonWork& work);

/// The lines of the two runs; empty where one of them did not count anything. Lines are matched by
/// number if both ran the same text, else by their texts.
std::optional<LineComparison> compare_lines(const ComparisonWork& work);

} // namespace memlane::cli
