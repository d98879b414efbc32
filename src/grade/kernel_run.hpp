// Kernels of a student's, launched as the exercise says, on the arrays of its check program.
#pragma once

#include "memlane/grade/grading.hpp"

#include <map>
#include <string>
#include <vector>

namespace memlane::grade {

/// What arrays hold, by their names, in row-major order.
using Contents = std::map<std::string, std::vector<ir::Value>>;

/// Fills `run.result`, with the contents of all arrays as its outputs; lines are those of
/// `sources`. `check`: the check program, bound; `initial`: what its arrays hold. Errors: those of
/// the exercise's launches, or of the machine. What makes the file impossible to run goes to
/// `wrong`.
Status run_kernels(const Grading& grading, const Submission& file, const ir::Program& check,
                   const Contents& initial, const MachineSpec& machine, const Limits& limits,
                   Sources& sources, GradedRun& run, Diagnostics& wrong);

} // namespace memlane::grade
