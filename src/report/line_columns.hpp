// The counts in which two lines are compared.
#pragma once

#include "memlane/report/line_differences.hpp"

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
