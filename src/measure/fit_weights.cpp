#include "fit_problem.hpp"

#include "memlane/measure/measurements.hpp"

#include <algorithm>

namespace memlane::measure {

// The variance of a point's samples adds to that of the model's error.
std::vector<double> scales_of(const std::vector<FitPoint>& points) {
  std::vector<double> scales;
  for (const FitPoint& point : points)
    scales.push_back(least_spread / std::hypot(least_spread, point.spread));
  return scales;
}

std::vector<double> scaled_residuals(const FitProblem& problem, const ParameterValues& values) {
  const std::vector<double> units = exact_units(problem, values);
  std::vector<double> residuals;
  for (std::size_t row = 0; row < units.size(); ++row) {
    const std::size_t used = problem.used[row];
    const FitPoint& point = problem.points[used];
    const double ns =
        values[Parameter::unit] * units[row] + values[Parameter::launch] * point.launches;
    residuals.push_back(problem.scales[used] * (ns - point.ns) / point.ns);
  }
  return residuals;
}

double huber_threshold_of(const FitProblem& problem, const ParameterValues& values) {
  std::vector<double> sizes = scaled_residuals(problem, values);
  for (double& size : sizes) size = std::abs(size);
  // For normal errors, the median of the absolute values is 0.6745 standard deviations.
  return std::max(least_spread, 1.345 / 0.6745 * median(sizes));
}

} // namespace memlane::measure
