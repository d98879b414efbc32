// A run beside the same run with a change: --try.
#pragma once

#include "memlane/study/compare/comparison.hpp"
#include "memlane/study/explain/advice.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memlane::sweep {

struct TriedChange {
  std::string change; ///< changes_text of the change
  ComparisonRow row;  ///< the changed run
  std::int64_t base_time = 0;
  ModelCounts base_counts = {}; ///< of the run without the change
  bool same_problem = true;     ///< its memory arrays have the names and sizes of the run's
  std::string other_sizes;      ///< a sentence about those that have others; empty: none
  bool predicts = true;         ///< a simulation without data was tried before: of programs
  /// By simulation without data; none if the time depends on data.
  std::optional<std::int64_t> predicted;
  std::optional<LineComparison> lines;   ///< the run, and the changed run
  std::optional<CauseComparison> causes; ///< the causes of both runs

  /// The changed run came to its end, so that its time can be compared.
  bool ended() const { return row.ran == Ran::done; }
  std::int64_t gain() const { return base_time - row.counts.time.value; }
};

} // namespace memlane::sweep
