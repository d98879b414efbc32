// Compares measured times with simulated times.
#pragma once

#include "memlane/study/gpu/executables.hpp"
#include "memlane/study/gpu/fit.hpp"
#include "memlane/study/gpu/measured_points.hpp"
#include "memlane/study/gpu/ordering.hpp"

namespace memlane::measure {

/// A measured point with its prediction. A CUB kernel runs another algorithm, so it has none.
struct ComparedPoint {
  MeasuredPoint measured;
  std::string curve, problem;
  std::optional<double> size;         ///< n
  std::optional<std::int64_t> time;   ///< time units, the machine's launch cost included
  std::optional<double> units;        ///< the same without launch costs
  std::optional<double> predicted_ns; ///< predicts priced_ns at the fitted costs
  std::string why_not;                ///< why there is no time
  std::optional<double> cycles;       ///< median inside the kernels
  /// For hand-written and CUB kernels: their measured time divided by the time of the fastest
  /// emitted kernel of the program. The kernels have equal values of all common parameters.
  std::optional<double> ratio_to_emitted;

  /// (predicted - measured) / measured, for priced_ns.
  std::optional<double> error() const;
  std::optional<double> ns_per_unit() const;
  std::optional<double> cycles_per_unit() const;
};

/// Nanoseconds of a time unit and of a launch, fitted to the emitted kernels and the launches of
/// executables (fit.hpp) with the machine's other parameters fixed.
struct FittedCosts {
  Estimate unit, launch;
  std::size_t points = 0; ///< in the fit
  double rms = 0;         ///< of the relative residuals
};

struct MeasuredComparison {
  std::string path;
  MachineSpec machine;
  std::vector<ComparedPoint> points; ///< by curve, size and variant
  std::vector<SkippedPoint> skipped;
  std::optional<FittedCosts> costs; ///< none if nothing that is fitted has a time
  Ordering emitted, hand_written;   ///< predicted and measured order within each problem
  Ordering executables;             ///< of the kernels of each program, by their mean times
  bool stopped = false;             ///< interrupted, or out of time
};

struct ComparisonLimits {
  std::optional<std::int64_t> max_steps; ///< instructions of one point
  std::function<void(std::size_t done, std::size_t total)> progress = {}; ///< may be empty
  /// Without max_steps: instructions of all points together. Each point may use an equal share of
  /// what is left; small sizes run first, so that large ones get what they did not use.
  std::int64_t all_steps = 1'500'000'000;
};

/// Simulates every point that `known` has no prediction for (by simulation_key), fits the costs and
/// compares predicted with measured times.
MeasuredComparison compare_measured(Measurements measurements, const MachineSpec& machine,
                                    const Simulator& simulator, const ComparisonLimits& limits,
                                    const std::map<std::string, Prediction>& known = {});

} // namespace memlane::measure
