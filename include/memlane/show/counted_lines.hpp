// The source lines of a run with their counts.
#pragma once

#include "memlane/count/counts.hpp"
#include "memlane/support/diagnostic.hpp"

#include <string>
#include <vector>

namespace memlane {

/// The counts of one source line of a run.
struct CountedLine {
  std::string file; ///< as the program names it
  std::int32_t number = 0;
  std::string text; ///< without its margin, on one line
  LineCounts counts;
};

/// The lines of a run that made requests, in the order of files and lines. Those of a trace have
/// neither file nor text.
std::vector<CountedLine> counted_lines(const Counts& counts, const Sources& sources);

} // namespace memlane
