// A run as tables of a paper.
#pragma once

#include "memlane/report/run_report.hpp"

#include <string>

namespace memlane {

/// The run, its memory units, their congestion, its kernels and source lines, and its claims: a
/// table each. Requires `markdown` or `latex`.
std::string run_paper(const RunReport& report, const Sources& sources, Format format);

} // namespace memlane
