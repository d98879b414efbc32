// One point of an exercise: the check program gives data and right results, the student's program
// runs with these data.
#pragma once

#include "memlane/grade/grading.hpp"

#include <string>

namespace memlane::grade {

/// Fills `run`, which has its label. `recipe` has its seed and limits.
/// `check_point`: of the check program, with its machine and parameters. Errors: those of the check
/// program. What makes the student's file impossible to run, such as an array with other extents,
/// goes to `wrong`.
Status run_pair(const Grading& grading, const sweep::Recipe& recipe,
                const sweep::Point& check_point, const Submission& file, Sources& sources,
                GradedRun& run, Diagnostics& wrong);

/// Which limit of the exercise stopped the work.
std::string limit_text(Stop stop, const GradeLimits& limits);

/// A message in a sentence, for tables and grade books: `line 12: index 64 is outside array c`;
/// with two places `lines 12 and 14: race at c[3]: …`.
std::string with_line(const Diagnostic& message, const Sources& sources);

} // namespace memlane::grade
