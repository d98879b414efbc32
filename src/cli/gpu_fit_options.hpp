// What --free and --fix ask of a fit.
#pragma once

#include "arguments.hpp"

#include "memlane/machine/spec.hpp"
#include "memlane/measure/fit.hpp"

#include <utility>
#include <vector>

namespace memlane::cli {

struct FitParameters {
  decltype(measure::FitRequest::free) free;
  std::vector<std::pair<measure::Parameter, double>> fixed;
};
/// Without --free all parameters are free that --fix does not hold. Errors stay in `options`.
FitParameters read_fit_parameters(OptionReader& options);
/// The fit that begins at the machine's values.
measure::FitRequest fit_request(const FitParameters& parameters, const MachineSpec& machine);

} // namespace memlane::cli
