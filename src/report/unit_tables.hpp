// The part of a run's table that is about its memory units.
#pragma once

#include "memlane/report/run_report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memlane {

/// The global memory, then the shared memories: of one multiprocessor as a section like the global
/// memory's, of several as a table with a row for each.
std::string unit_sections(const RunReport& report);

/// A line for the global memory, and one for all shared memories: requests, stages, conflicts.
std::string unit_lines(const RunReport& report);

/// Requests by their stages, as tables show them.
struct StageClass {
  std::string stages; ///< `3`, or a bucket: `5 to 8`
  std::int64_t requests = 0;
};

/// Each number of stages by itself, or, where there are more than 16, in buckets that end at powers
/// of two.
std::vector<StageClass> stage_classes(const UnitCounts& unit);

} // namespace memlane
