// Two runs side by side, source line by source line.
#pragma once

#include "memlane/report/comparison.hpp"

#include <string_view>

namespace memlane {

/// The counts that a table shows of each line; `worst` has no sum.
struct LineColumn {
  std::string_view name;
  std::int64_t (*get)(const CountedLine&);
};
inline constexpr LineColumn line_columns[] = {
    {"requests", [](const CountedLine& line) { return line.counts.requests; }},
    {"stages", [](const CountedLine& line) { return line.counts.stages; }},
    {"lost", [](const CountedLine& line) { return line.lost(); }},
};

} // namespace memlane
