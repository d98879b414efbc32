// The parts of a fit: its sum of squares, the linear half, the search, the intervals.
#pragma once

#include "fit_times.hpp"

#include <cmath>

namespace memlane::gpu {

/// A fit under way. Residuals are (fitted - measured) / measured: times span orders of magnitude,
/// and a clock's error grows with the time, so every point weighs alike. Logarithms would weigh
/// them alike too; but the relative residual is linear in nanoseconds a unit and a launch, so that
/// these two are solved for exactly wherever the search goes. (It is a little kinder to a model
/// that is too fast than to one that is too slow; at residuals below 20 % that hardly shows.)
struct FitProblem {
  const std::vector<FitPoint>& points;
  std::vector<std::size_t> used; ///< points that count
  std::array<bool, parameter_count> free;
  FitTimes& times;
};

struct LinearSolution {
  double unit = 0, launch = 0;
  double squares = 0; ///< sum of the squared residuals
};

/// The best nanoseconds a unit and a launch for these time units (one for each used point), within
/// their bounds; those that are not free are as `values` has them.
LinearSolution solve_linear(const FitProblem& problem, const std::vector<double>& units,
                            const ParameterValues& values);

/// Searches the free parameters, from `start` on; the result is at integers where the simulator
/// takes integers. Its sum of squares is a local minimum among them.
ParameterValues search(const FitProblem& problem, const ParameterValues& start,
                       int max_evaluations);

/// The same for a start that is known to be near: integer steps alone, which find most times
/// simulated already.
ParameterValues search_near(const FitProblem& problem, const ParameterValues& start);

double sum_of_squares(const FitProblem& problem, const ParameterValues& values);
std::vector<double> exact_units(const FitProblem& problem, const ParameterValues& values);

/// Fills in standings and intervals of the parameters that are free in the problem.
void estimate_intervals(const FitProblem& problem, const ParameterValues& values, Fit& fit);

inline const ParameterInfo& info_of(Parameter p) {
  return parameters()[static_cast<std::size_t>(p)];
}
inline bool is_free(const FitProblem& problem, Parameter p) {
  return problem.free[static_cast<std::size_t>(p)];
}

} // namespace memlane::gpu
