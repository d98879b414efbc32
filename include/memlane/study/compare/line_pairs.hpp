// Two runs side by side, source line by source line.
#pragma once

#include "memlane/count/counts.hpp"
#include "memlane/show/run_report.hpp"
#include "memlane/support/diagnostic.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memlane::sweep {

/// A line of the first run beside the line of the second that it matches; one of them may be
/// missing.
struct LinePair {
  std::optional<CountedLine> first, second;

  bool differs() const;
};

/// How lines are matched: of one program by their numbers, of two by their texts.
enum class LineMatch { number, text };

/// The lines of both runs, each in the order of its program. By number, lines of the same file and
/// number match. By text, an alignment of the two programs pairs equal lines, then lines that have
/// about half of their pairs of letters in common; lines that match keep their order. O(lines
/// of the first * lines of the second).
std::vector<LinePair> pair_lines(const std::vector<CountedLine>& first,
                                 const std::vector<CountedLine>& second, LineMatch match);

/// Two runs and their lines.
struct LineComparison {
  std::string first, second; ///< what tables call the runs: `transpose on hmm-titan`
  std::vector<LinePair> lines;
};

} // namespace memlane::sweep
