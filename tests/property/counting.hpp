// Checks counted operators against counts by hand or by an independent model.
#pragma once

#include "memlane/count/derive.hpp"

#include <string>
#include <vector>

namespace memlane::test {

/// Runs the program with one warp of four threads on an HMM of one multiprocessor: on both engines,
/// and without data where its time does not depend on it, with operators that cost nothing and 7
/// time units. Checks that all agree, and that each counted operator delays the warp. Returns the
/// counts of the run in which operators cost nothing. The fast engine may leave a program to the
/// reference engine: `fast` says whether it ran this one.
Counts counts_by_all_engines(const std::string& text, bool& fast);

/// The deliveries of both engines, and of a run without data where time does not depend on it, on
/// the same machine with `warps` warps: checks that they agree. Returns what they make of each
/// statement of the program's only kernel, in order of the text.
std::vector<StatementCounts> statements_by_all_engines(const std::string& text,
                                                       std::int64_t warps = 1);

} // namespace memlane::test
