// A run explained: its account, and what would help.
#pragma once

#include "memlane/show/account.hpp"
#include "memlane/study/explain/access_pattern.hpp"
#include "memlane/study/explain/advice.hpp"

namespace memlane::sweep {

struct Explanation : Account {
  Advice advice; ///< none where the run was stopped
};

/// The account and the pattern of the costliest line, without advice. Costs what find_pattern does.
Explanation explain(const Point& point, const RunResult& run, const Sources& sources);

} // namespace memlane::sweep
