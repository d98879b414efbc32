// What --free and --fix ask of a fit.
#pragma once

#include "arguments.hpp"

#include "memlane/machine/spec.hpp"
#include "memlane/measure/fit.hpp"

namespace memlane::cli {

/// Begins at the machine's values. Without --free all parameters are free that --fix does not hold.
Result<measure::FitRequest> fit_request(const Arguments& arguments, const MachineSpec& machine);

} // namespace memlane::cli
