// The linear part of a fit: the costs of least loss, and confidence intervals.
#pragma once

#include "memlane/study/gpu/fit.hpp"

#include <cmath>

namespace memlane::measure {

/// A fit. Residuals are (predicted - measured) / measured, because times span orders of magnitude
/// and a clock's error grows with the time. They are linear in unit and launch, so that these two
/// have an exact solution at each timing; logarithms, which also weigh points equally, are not.
/// (Relative residuals favour models that are too fast; below 20 % this effect is small.)
///
/// A point's residual is multiplied by its scale. Huber's loss of the product z is z^2 up to a
/// threshold k and 2 k |z| - k^2 beyond, which limits the influence of a few points that the model
/// cannot explain.
struct FitProblem {
  FitProblem(const std::vector<FitPoint>& all, const PerParameter<bool>& wanted,
             const ParameterValues& from);

  const std::vector<FitPoint>& points;
  std::vector<double> scales; ///< one a point: below 1 if its samples spread widely; 0: left out
  PerParameter<bool> free;
  ParameterValues start;
  double threshold = INFINITY; ///< Huber's; infinite: least squares
};

/// What a time unit and a launch take.
struct CostSolution {
  MemoryTiming timing = {};
  double unit = 0, launch = 0;
  double loss = INFINITY;
  std::vector<double> residuals = {}; ///< relative, of all points
};

/// The costs of least loss within their bounds, for these time units of the points. A cost that is
/// not free has its start value.
CostSolution solve_costs(const FitProblem& problem, const std::vector<double>& units);

/// The weight of a point with this relative residual in the sum of squares that has the same
/// minimum as the loss.
double weight_of(const FitProblem& problem, std::size_t point, double residual);

/// 1.345 standard deviations, estimated by the median of the absolute scaled residuals [Huber
/// 1981]: with normal errors the fit then has 95 % of the efficiency of least squares. Not less
/// than the model's own errors.
double threshold_of(const FitProblem& problem, const CostSolution& costs);

/// Sets degrees of freedom, and status and interval of the free parameters. `changes`: of each
/// point's predicted nanoseconds with these parameters.
void estimate_intervals(const FitProblem& problem, const CostSolution& costs,
                        const PerParameter<std::vector<double>>& changes, Fit& fit);

} // namespace memlane::measure
