#include "memlane/study/explain/explanation.hpp"

#include <algorithm>

namespace memlane::sweep {

Explanation explain(const Point& point, const RunResult& run, const Sources& sources) {
  Explanation explanation{account_of(point.machine, run, sources), {}, {}};
  if (!explanation.costliest) return explanation;
  CostlyLine& line = *explanation.costliest;
  const auto most = std::max_element(
      line.accesses.begin(), line.accesses.end(),
      [](const AccessCounts& a, const AccessCounts& b) { return a.conflicts() < b.conflicts(); });
  if (most == line.accesses.end() || most->conflicts() == 0) return explanation;
  line.pattern = find_pattern(point, *most, sources);
  line.pattern_of = static_cast<std::size_t>(most - line.accesses.begin());
  return explanation;
}

} // namespace memlane::sweep
