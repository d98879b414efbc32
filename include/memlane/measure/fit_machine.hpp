// Machines fitted to measured points.
#pragma once

#include "memlane/measure/fit.hpp"
#include "memlane/measure/measured_points.hpp"

namespace memlane::measure {

/// The machine with these latencies for the memories it has, and these ports for its global memory
/// (a DMM: its shared memory). Launches cost 0, since the fit adds their cost.
MachineSpec with_timing(MachineSpec machine, const MemoryTiming& timing);

/// Start of a fit: the machine's latencies and ports, 1 ns a time unit, launches cost 0.
ParameterValues start_values(const MachineSpec& machine);

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

/// Fits the emitted kernels' points. Simulates each point many times; leaves out points that take
/// more than `max_steps` instructions.
Result<MeasuredFit> fit_measured(const Measurements& measurements, const MachineSpec& machine,
                                 const FitRequest& request, const Simulator& simulator,
                                 std::int64_t max_steps);

/// The machine with the fitted values, its launch cost rounded to time units, and notes on their
/// origin.
MachineSpec fitted_machine(const MachineSpec& machine, const MeasuredFit& fit,
                           const std::string& measurements);

} // namespace memlane::measure
