// The parts of a fit: loss, linear solver, search and confidence intervals.
#pragma once

#include "interpolated_times.hpp"

#include <cmath>

namespace memlane::measure {

/// A fit. Residuals are (predicted - measured) / measured, because times span orders of magnitude
/// and a clock's error grows with the time. They are linear in unit and launch, so that these two
/// have an exact solution at each step of the search; logarithms, which also weigh points equally,
/// are not. (Relative residuals favour models that are too fast; below 20 % this effect is small.)
///
/// A point's residual is multiplied by its scale, which is below 1 if its samples spread by more
/// than `least_spread`. Huber's loss of the product z is z^2 up to a threshold k and 2 k |z| - k^2
/// beyond, which limits the influence of a few points that the model cannot explain.
struct FitProblem {
  const std::vector<FitPoint>& points;
  std::vector<std::size_t> used; ///< others are left out
  PerParameter<bool> free;
  InterpolatedTimes& times;
  const std::vector<double>& scales; ///< one a point
  double huber_threshold = INFINITY; ///< infinite: least squares
};

/// Below it spreads do not matter: the model's own errors are larger.
constexpr double least_spread = 0.01;
std::vector<double> scales_of(const std::vector<FitPoint>& points);

/// 1.345 standard deviations, estimated by the median of the absolute scaled residuals [Huber
/// 1981]: with normal errors the fit then has 95 % of the efficiency of least squares. At least
/// `least_spread`.
double huber_threshold_of(const FitProblem& problem, const ParameterValues& values);
/// Of the used points.
std::vector<double> scaled_residuals(const FitProblem& problem, const ParameterValues& values);

struct LinearSolution {
  double unit = 0, launch = 0;
  double loss = 0; ///< summed over the used points
};

/// Minimises the loss over unit and launch within their bounds, for these time units of the used
/// points. A parameter that is not free has its value of `values`. The loss is convex in these two.
LinearSolution solve_linear(const FitProblem& problem, const std::vector<double>& units,
                            const ParameterValues& values);

/// Searches the free parameters from `start`. The simulator's parameters are integers in the
/// result, which is a local minimum among these.
ParameterValues search(const FitProblem& problem, const ParameterValues& start, int max_evaluations,
                       const std::function<void(const FitProgress&)>& progress);

/// The same for a start near the minimum: steps by integers only, most of them simulated before.
ParameterValues search_near(const FitProblem& problem, const ParameterValues& start);

/// The best timing at which every used point was simulated; `start` is one of them.
ParameterValues best_simulated(const FitProblem& problem, const ParameterValues& start);

double loss_at(const FitProblem& problem, const ParameterValues& values);
std::vector<double> exact_units(const FitProblem& problem, const ParameterValues& values);

/// Sets status and interval of the free parameters.
void estimate_intervals(const FitProblem& problem, const ParameterValues& values, Fit& fit);

} // namespace memlane::measure
