// Machines fitted to measured points.
#pragma once

#include "memlane/measure/fit.hpp"
#include "memlane/measure/points.hpp"

namespace memlane::measure {

/// The machine with these latencies and ports where it has such memories; launches cost nothing,
/// because the fit adds their cost. The ports are those of the global memory, of a DMM its only
/// one's.
MachineSpec with_knobs(MachineSpec machine, const Knobs& knobs);

/// Where a fit begins: the machine's own latencies and ports, a nanosecond a unit, no launch cost.
ParameterValues start_values(const MachineSpec& machine);

struct Unfitted {
  Measured measured;
  std::string curve, why;
};

struct MeasuredFit {
  std::vector<Measured> points; ///< as in `fit.points`
  std::vector<std::string> curves;
  std::vector<Unfitted> unused; ///< kernels that are not the program's own, or not simulated
  Fit fit;
};

/// Fits the emitted kernels' points. Each point is simulated many times: `max_steps` bounds one.
Result<MeasuredFit> fit_measured(const Measurements& measurements, const MachineSpec& machine,
                                 const FitRequest& request, const Simulator& simulator,
                                 std::int64_t max_steps);

/// The machine with the fitted values, its launch cost in whole time units, and notes on where
/// they are from.
MachineSpec fitted_machine(const MachineSpec& machine, const MeasuredFit& fit,
                           const std::string& measurements);

} // namespace memlane::measure
