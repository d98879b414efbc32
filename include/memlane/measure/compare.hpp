// Measured points beside what the model predicts for them.
#pragma once

#include "memlane/measure/fit.hpp"
#include "memlane/measure/ordering.hpp"
#include "memlane/measure/points.hpp"

namespace memlane::measure {

/// One measured point and what the model says of it. A CUB kernel is another algorithm: it stands
/// in the table beside the program, but has no time units.
struct ComparedPoint {
  Measured measured;
  std::string curve, problem;
  std::optional<double> size;         ///< n
  std::optional<std::int64_t> time;   ///< time units, the machine's launch cost included
  std::optional<double> units;        ///< the same without it
  std::optional<double> predicted_ns; ///< of what the model prices, at the fitted costs
  std::string why_not;                ///< without a time
  std::optional<double> cycles;       ///< median inside the kernels
  /// Of a kernel that memlane did not emit: its time as a multiple of the program's fastest emitted
  /// kernel at the same parameters, as far as it has them.
  std::optional<double> of_emitted;

  /// (predicted - measured) / measured, of what the model prices.
  std::optional<double> error() const;
  std::optional<double> ns_per_unit() const;
  std::optional<double> cycles_per_unit() const;
};

/// Nanoseconds of a time unit and of a launch with which the machine, as it stands, comes nearest
/// to the emitted kernels (gpu/fit.hpp).
struct FittedCosts {
  Estimate unit, launch;
  std::size_t points = 0; ///< fitted to
  double rms = 0;         ///< of the relative residuals
};

struct MeasuredComparison {
  std::string path;
  MachineSpec machine;
  std::vector<ComparedPoint> points; ///< by curve, size and variant
  std::vector<Skipped> skipped;
  std::optional<FittedCosts> costs; ///< none: no emitted kernel has a time
  Ordering emitted, hand_written;   ///< by predicted nanoseconds, each problem by itself
  bool stopped = false;             ///< interrupted, or out of time
};

/// Simulates every point, fits the costs and compares predicted with measured times. `max_steps`
/// bounds the work of a point; without it, `all_steps` are shared among the points: each may take
/// its part of what is left, small sizes first, so that what they leave goes to the large.
struct ComparisonLimits {
  std::optional<std::int64_t> max_steps;
  /// How many of how many points are done; empty: not wanted.
  std::function<void(std::size_t done, std::size_t total)> progress = {};
  std::int64_t all_steps = 1'500'000'000;
};
MeasuredComparison compare_measured(Measurements measurements, const MachineSpec& machine,
                                    const Simulator& simulator, const ComparisonLimits& limits);

} // namespace memlane::measure
