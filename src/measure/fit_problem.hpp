// The parts of a fit: its loss, the linear half, the search, the intervals.
#pragma once

#include "fit_times.hpp"

#include <cmath>

namespace memlane::measure {

/// A fit under way. Residuals are (fitted - measured) / measured: times span orders of magnitude,
/// and a clock's error grows with the time, so every point weighs alike. Logarithms would weigh
/// them alike too; but the relative residual is linear in nanoseconds a unit and a launch, so that
/// these two are solved for exactly wherever the search goes. (It is a little kinder to a model
/// that is too fast than to one that is too slow; at residuals below 20 % that hardly shows.)
///
/// A point's residual is multiplied by its scale, at most 1: less for a point whose samples spread
/// by more than `least_spread`. Huber's loss of the product z is z^2 up to `bend` and
/// 2 bend |z| - bend^2 beyond, so that a few points which the model cannot explain do not decide.
struct FitProblem {
  const std::vector<FitPoint>& points;
  std::vector<std::size_t> used; ///< points that count
  std::array<bool, parameter_count> free;
  FitTimes& times;
  const std::vector<double>& scales; ///< one a point
  double bend = INFINITY;            ///< infinite: least squares
};

/// Under it, spreads say nothing of how well a point may be met: the models' own errors are larger.
constexpr double least_spread = 0.01;
std::vector<double> scales_of(const std::vector<FitPoint>& points);

/// 1.345 standard deviations, as estimated from the median of the absolute scaled residuals
/// [Huber 1981]: with normal errors the estimates are 95 % as sharp as those of least squares. At
/// least `least_spread`.
double bend_of(const FitProblem& problem, const ParameterValues& values);
/// Of the used points, scaled.
std::vector<double> scaled_residuals(const FitProblem& problem, const ParameterValues& values);

struct LinearSolution {
  double unit = 0, launch = 0;
  double loss = 0; ///< summed over the used points
};

/// The best nanoseconds a unit and a launch for these time units (one for each used point), within
/// their bounds; those that are not free are as `values` has them. Reweights the points until the
/// loss is least: it is convex in these two.
LinearSolution solve_linear(const FitProblem& problem, const std::vector<double>& units,
                            const ParameterValues& values);

/// Searches the free parameters, from `start` on; the result is at integers where the simulator
/// takes integers. Its loss is a local minimum among them.
ParameterValues search(const FitProblem& problem, const ParameterValues& start, int max_evaluations,
                       const std::function<void(const FitProgress&)>& progress);

/// The same for a start that is known to be near: integer steps alone, which find most times
/// simulated already.
ParameterValues search_near(const FitProblem& problem, const ParameterValues& start);

/// Among all places where every used point was simulated, the best; `start` is one.
ParameterValues best_simulated(const FitProblem& problem, const ParameterValues& start);

double loss_at(const FitProblem& problem, const ParameterValues& values);
std::vector<double> exact_units(const FitProblem& problem, const ParameterValues& values);

/// Fills in standings and intervals of the parameters that are free in the problem.
void estimate_intervals(const FitProblem& problem, const ParameterValues& values, Fit& fit);

inline const ParameterInfo& info_of(Parameter p) {
  return parameters()[static_cast<std::size_t>(p)];
}
inline bool is_free(const FitProblem& problem, Parameter p) {
  return problem.free[static_cast<std::size_t>(p)];
}

} // namespace memlane::measure
