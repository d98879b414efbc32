// Results of commands (`memlane cuda`, `memlane ptx`) as stores keep them.
#pragma once

#include "memlane/points/point.hpp"
#include "memlane/store/store.hpp"

#include <vector>

namespace memlane {

/// Whether a limit stopped the run that wrote it.
Stop stop_of_output(const sweep::CommandOutput& output);

/// Puts what a run counted into the cells of its point, which are by stored_columns. Columns of
/// what was run stay as they are.
void take_counts_of(const sweep::CommandOutput& output, std::vector<sweep::Cell>& cells);

} // namespace memlane
