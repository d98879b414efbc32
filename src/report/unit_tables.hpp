// The part of a run's table that is about its memory units.
#pragma once

#include "memlane/report/run_report.hpp"

#include <string>

namespace memlane {

/// The global memory, then the shared memories: of one multiprocessor as a section like the global
/// memory's, of several as a table with a row for each.
std::string unit_sections(const RunReport& report);

} // namespace memlane
