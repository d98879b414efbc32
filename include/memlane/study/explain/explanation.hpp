// A run explained.
#pragma once

#include "memlane/show/explanation.hpp"
#include "memlane/study/explain/access_pattern.hpp"
#include "memlane/study/explain/advice.hpp"

namespace memlane::sweep {

/// The account and the pattern of the costliest line, without advice. Costs what find_pattern does.
Explanation explain(const Point& point, const RunResult& run, const Sources& sources);

} // namespace memlane::sweep
