// Machines fitted to measured points.
#pragma once

#include "memlane/study/gpu/fit.hpp"
#include "memlane/study/gpu/measured_points.hpp"

namespace memlane::measure {

struct FitRequest {
  PerParameter<bool> free = {true, true, true, true, true};
  /// Values of parameters that are not free; none: latencies and ports of the machine, 1 ns a time
  /// unit, launches cost 0.
  PerParameter<std::optional<double>> fixed = {};
  std::int64_t max_steps = INT64_MAX; ///< leaves out points that take more instructions
  SimulationProgress progress = {};
};

struct UnusedPoint {
  MeasuredPoint measured;
  std::string curve, why;
};

struct MeasuredFit {
  std::vector<MeasuredPoint> points; ///< in the order of `fit.points`
  std::vector<std::string> curves;   ///< of the points
  std::vector<UnusedPoint> unused;   ///< kernels that memlane did not emit, or not simulated
  Fit fit;
};

/// Fits the emitted kernels' points. Simulates each point many times.
Result<MeasuredFit> fit_measured(const Measurements& measurements, const MachineSpec& machine,
                                 const FitRequest& request, const Simulator& simulator);

/// The machine with the fitted values, its launch cost rounded to time units, and notes on their
/// origin.
MachineSpec fitted_machine(const MachineSpec& machine, const MeasuredFit& fit,
                           const std::string& measurements);

} // namespace memlane::measure
