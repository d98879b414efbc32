// Whether the values of a tuned parameter are different problems, which their times cannot compare.
#pragma once

#include "tune_plans.hpp"

#include <string>
#include <vector>

namespace memlane::cli {

/// By tuned axis: a memory array with initial contents whose size changes with the values; empty
/// where there is none. Compares the first values of each axis on the machine of -m, which are
/// bound for it. Cost: lowering the program at most 16 times an axis.
std::vector<std::string> changed_inputs(const TuneRequest& request, const TunedPlan& plan,
                                        const Sources& sources);

} // namespace memlane::cli
