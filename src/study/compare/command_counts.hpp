// What a command counted, out of its result.
#pragma once

#include "memlane/study/compare/comparison.hpp"

namespace memlane::sweep {

/// Fills in the counts and lines of the row from the JSON of `memlane cuda` or `memlane ptx`, with
/// the texts of lines whose sources are found. A result that is no JSON leaves the row as it is.
void take_command_counts(const CommandOutput& output, ComparisonRow& row);

} // namespace memlane::sweep
