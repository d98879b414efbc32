// Fits a machine's parameters, and what a time unit and a launch take, to measured times.
#pragma once

#include "memlane/study/gpu/measured_points.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::measure {

/// What can be fitted. A point's time is  unit * simulated time(l, L, ports) + launch * launches.
enum class Parameter : std::uint8_t { unit, launch, shared_latency, global_latency, ports };
inline constexpr std::size_t parameter_count = 5;

/// One T for each parameter.
template <class T>
struct PerParameter {
  T items[parameter_count];

  T& operator[](Parameter p) { return items[static_cast<std::size_t>(p)]; }
  const T& operator[](Parameter p) const { return items[static_cast<std::size_t>(p)]; }
  auto begin() const { return std::begin(items); }
  auto end() const { return std::end(items); }
};
using ParameterValues = PerParameter<double>;

/// The parameters that are inputs of the simulator.
struct MemoryTiming {
  std::int64_t shared_latency = 1, global_latency = 1, ports = 1;
  auto operator<=>(const MemoryTiming&) const = default;
};

MemoryTiming timing_of(const ParameterValues& values);

struct ParameterInfo {
  Parameter parameter;
  std::string_view name;                 ///< as --fix and --free take it
  std::string_view unit;                 ///< ns, time units, …
  double lower, upper;                   ///< bounds of the search
  std::int64_t MemoryTiming::*simulated; ///< null: not an input of the simulator
  std::int64_t first;                    ///< the search begins at it, 8 and 64 times it
  std::string_view meaning;
};
const PerParameter<ParameterInfo>& parameters();
inline const ParameterInfo& info_of(Parameter p) { return parameters()[p]; }

struct FitPoint {
  std::string program; ///< cross-validation leaves out all points of a program together
  double ns = 0;       ///< measured; from 1e-3 to 1e18
  double launches = 1;
  double spread = 0; ///< standard deviation of its samples as a share of `ns`; 0: unknown
};

FitPoint fit_point(const MeasuredPoint& point);

/// Simulates all points at each of these timings: their time units without launch costs. The list
/// is shorter than asked for if the work was stopped. Each timing is asked for once.
using SimulateTimings =
    std::function<std::vector<std::vector<double>>(const std::vector<MemoryTiming>& timings)>;

enum class EstimateStatus {
  free,           ///< an estimate with an interval
  fixed,          ///< the given value
  no_influence,   ///< free, but no point's time depends on it; the given value
  unfinished,     ///< the fit stopped early: the best value so far, or the given one
  undetermined,   ///< the points determine only combinations of it with other parameters
  at_lower_bound, ///< the best value within the bounds is the lower bound
  at_upper_bound, ///< … the upper bound
};
/// `free`, `fixed`, `no point depends on it`, …
std::string_view name_of(EstimateStatus status);

struct Estimate {
  Parameter parameter = Parameter::unit;
  double value = 0;
  std::optional<double> low, high; ///< 95 % confidence interval, cut at the bounds
  EstimateStatus status = EstimateStatus::free;
};

struct FittedPoint {
  double units = 0;             ///< simulated time at the fitted values
  double ns = 0;                ///< predicted by the fitted machine
  double relative_residual = 0; ///< (predicted - measured) / measured
  double weight = 1;            ///< in the fit; lower for a wide spread or a large residual
};

/// One fold of the cross-validation: the fit to the other programs predicts this one.
struct LeftOutProgram {
  std::string program;
  std::size_t points = 0;
  std::optional<double> rms_error; ///< of the relative errors; none: too few other points
};

struct Fit {
  PerParameter<Estimate> estimates = {};
  std::vector<FittedPoint> points = {};
  double rms = 0; ///< of the relative residuals
  std::vector<LeftOutProgram> left_out = {};
  std::int64_t degrees_of_freedom = 0; ///< points less estimated parameters
  /// The fit stopped early: parameters may be `unfinished`. Without points: nothing was fitted.
  bool stopped = false;

  ParameterValues values() const;
};

/// Minimises Huber's loss [Huber 1964] of the relative residuals within the bounds: quadratic for
/// small residuals, linear for large ones, with points weighted by their spreads. The search begins
/// at `start`, which also has the values of what is not free. Deterministic. An error if there are
/// fewer points than free parameters. If `simulate` stops the fit, returns the best values so far.
Result<Fit> fit(const std::vector<FitPoint>& points, const PerParameter<bool>& free,
                const ParameterValues& start, const SimulateTimings& simulate);

// --- Machines fitted to measured points

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
