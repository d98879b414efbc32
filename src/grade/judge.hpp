// From runs to criteria.
#pragma once

#include "memlane/grade/grading.hpp"

namespace memlane::grade {

/// Fills `result.criteria` from its runs. Errors: a claim that cannot be evaluated, or that applies
/// to no run.
Status judge(const Grading& grading, const Sources& sources, GradeResult& result);

} // namespace memlane::grade
