#include "fit_linear.hpp"

#include "memlane/study/gpu/measurements.hpp"
#include "memlane/support/student.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace memlane::measure {
namespace {

/// Below it spreads do not matter: the model's own errors are larger.
constexpr double least_spread = 0.01;
/// A vector with a smaller share outside the span of others counts as dependent on them.
constexpr double least_independent = 1e-6;

double quotient_within(const ParameterInfo& info, double dividend, double divisor) {
  return std::clamp(divisor > 0 ? dividend / divisor : info.lower, info.lower, info.upper);
}

/// A sum of squares as a function of unit u and launch v:
/// uu u^2 + 2 uv u v + vv v^2 - 2 u1 u - 2 v1 v, and a constant.
struct SquaredResiduals {
  double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;

  void add(double weight, double u, double v) {
    uu += weight * u * u;
    uv += weight * u * v;
    vv += weight * v * v;
    u1 += weight * u;
    v1 += weight * v;
  }
  double unit_at(double launch) const {
    return quotient_within(info_of(Parameter::unit), u1 - uv * launch, uu);
  }
  double launch_at(double unit) const {
    return quotient_within(info_of(Parameter::launch), v1 - uv * unit, vv);
  }
  /// Solves the 2x2 system of the normal equations. If the solution is beyond a bound, or not the
  /// only one, the minimum is on an edge, since the function is convex.
  std::pair<double, double> minimum() const {
    const ParameterInfo& unit = info_of(Parameter::unit);
    const ParameterInfo& launch = info_of(Parameter::launch);
    const double determinant = uu * vv - uv * uv;
    if (determinant > least_independent * least_independent * uu * vv) {
      const double u = (u1 * vv - v1 * uv) / determinant;
      const double v = (v1 * uu - u1 * uv) / determinant;
      if (u >= unit.lower && u <= unit.upper && v >= launch.lower && v <= launch.upper)
        return {u, v};
    }
    std::pair<double, double> best;
    double least = INFINITY;
    for (const auto& [u, v] : {std::pair(unit_at(launch.lower), launch.lower),
                               std::pair(unit_at(launch.upper), launch.upper),
                               std::pair(unit.lower, launch_at(unit.lower)),
                               std::pair(unit.upper, launch_at(unit.upper))}) {
      const double squares = u * (uu * u + 2 * uv * v - 2 * u1) + v * (vv * v - 2 * v1);
      if (squares >= least) continue;
      least = squares;
      best = {u, v};
    }
    return best;
  }
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The length of what is left of vector k outside the span of the others [Gram-Schmidt]; 0:
/// nothing. With vectors J, its inverse square is the k-th element of the diagonal of (J'J)^-1.
double independent_length(std::vector<std::vector<double>> vectors, std::size_t k) {
  std::swap(vectors[k], vectors.back());
  double left = 0;
  for (auto vector = vectors.begin(); vector != vectors.end(); ++vector) {
    const double whole = std::sqrt(dot(*vector, *vector));
    for (auto other = vectors.begin(); other != vector; ++other) {
      const double part = dot(*vector, *other);
      for (std::size_t i = 0; i < vector->size(); ++i) (*vector)[i] -= part * (*other)[i];
    }
    left = std::sqrt(dot(*vector, *vector));
    if (!(left > least_independent * whole)) left = 0;
    for (double& element : *vector) element = left > 0 ? element / left : 0;
  }
  return left;
}

/// Huber's estimate of the residuals' variance, the factor of (J'J)^-1 [Huber 1981, section 7.6].
/// It is the estimate of least squares if no residual exceeds the threshold, infinite if all do.
double residual_variance(const FitProblem& problem, const CostSolution& costs, double freedom) {
  const auto count = static_cast<double>(costs.residuals.size());
  double squares = 0, within = 0;
  for (std::size_t i = 0; i < costs.residuals.size(); ++i) {
    const double size = std::abs(problem.scales[i] * costs.residuals[i]);
    squares += std::pow(std::min(size, problem.threshold), 2);
    within += size <= problem.threshold ? 1 / count : 0;
  }
  const double correction = 1 + (1 - freedom / count) * (1 - within) / within;
  return std::pow(correction / within, 2) * squares / freedom;
}

} // namespace

// A point's error has two parts, whose variances add: the model's error and that of its samples.
FitProblem::FitProblem(const std::vector<FitPoint>& all, const PerParameter<bool>& wanted,
                       const ParameterValues& from)
    : points(all), free(wanted), start(from) {
  for (const FitPoint& point : points)
    scales.push_back(least_spread / std::hypot(least_spread, point.spread));
}

double weight_of(const FitProblem& problem, std::size_t point, double residual) {
  const double scale = problem.scales[point];
  const double size = std::max(std::abs(scale * residual), 1e-300);
  return scale * scale * std::min(1.0, problem.threshold / size);
}

double threshold_of(const FitProblem& problem, const CostSolution& costs) {
  std::vector<double> sizes;
  for (std::size_t i = 0; i < costs.residuals.size(); ++i)
    sizes.push_back(std::abs(problem.scales[i] * costs.residuals[i]));
  // For normal errors, the median of the absolute values is 0.6745 standard deviations.
  return std::max(least_spread, 1.345 / 0.6745 * median(std::move(sizes)));
}

/// Iteratively reweighted least squares [Holland & Welsch 1977]: each round minimises a sum of
/// squares that bounds the loss from above and equals it at the last residuals, so that the loss
/// never grows.
CostSolution solve_costs(const FitProblem& problem, const std::vector<double>& units) {
  CostSolution costs{{}, problem.start[Parameter::unit], problem.start[Parameter::launch]};
  costs.residuals.resize(units.size()); // with weights of least squares
  double change = INFINITY;
  for (int round = 0; round < 50 && change > 1e-10; ++round) {
    SquaredResiduals sum;
    for (std::size_t i = 0; i < units.size(); ++i) {
      const FitPoint& point = problem.points[i];
      sum.add(weight_of(problem, i, costs.residuals[i]), units[i] / point.ns,
              point.launches / point.ns);
    }
    if (problem.free[Parameter::unit] && problem.free[Parameter::launch])
      std::tie(costs.unit, costs.launch) = sum.minimum();
    else if (problem.free[Parameter::unit])
      costs.unit = sum.unit_at(costs.launch);
    else if (problem.free[Parameter::launch])
      costs.launch = sum.launch_at(costs.unit);
    change = costs.loss = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
      const FitPoint& point = problem.points[i];
      const double ns = costs.unit * units[i] + costs.launch * point.launches;
      const double residual = (ns - point.ns) / point.ns;
      const double size = std::abs(problem.scales[i] * residual), k = problem.threshold;
      costs.loss += size <= k ? size * size : 2 * k * size - k * k;
      if (round > 0 || size > k)
        change = std::max(change, std::abs(residual - costs.residuals[i]) * problem.scales[i]);
      costs.residuals[i] = residual;
    }
  }
  return costs;
}

void estimate_intervals(const FitProblem& problem, const CostSolution& costs,
                        const PerParameter<std::vector<double>>& changes, Fit& fit) {
  std::vector<Parameter> free;
  std::vector<std::vector<double>> jacobian;
  for (const ParameterInfo& info : parameters()) {
    if (!problem.free[info.parameter]) continue;
    free.push_back(info.parameter);
    std::vector<double>& column = jacobian.emplace_back(changes[info.parameter]);
    for (std::size_t i = 0; i < column.size(); ++i)
      column[i] *= problem.scales[i] / problem.points[i].ns;
  }
  std::vector<double> lengths;
  for (std::size_t k = 0; k < free.size(); ++k) lengths.push_back(independent_length(jacobian, k));
  // c dependent parameters still use c - 1 degrees of freedom.
  fit.degrees_of_freedom = static_cast<std::int64_t>(problem.points.size()) -
                           static_cast<std::int64_t>(free.size()) +
                           (std::count(lengths.begin(), lengths.end(), 0.0) > 0 ? 1 : 0);
  const auto freedom = static_cast<double>(fit.degrees_of_freedom);
  const double t = student_quantile(0.975, fit.degrees_of_freedom);
  for (std::size_t k = 0; k < free.size(); ++k) {
    const ParameterInfo& info = info_of(free[k]);
    Estimate& estimate = fit.estimates[free[k]];
    estimate.status = lengths[k] == 0                ? EstimateStatus::undetermined
                      : estimate.value <= info.lower ? EstimateStatus::at_lower_bound
                      : estimate.value >= info.upper ? EstimateStatus::at_upper_bound
                                                     : EstimateStatus::free;
    const double half = t * std::sqrt(residual_variance(problem, costs, freedom)) / lengths[k];
    if (estimate.status != EstimateStatus::free || freedom < 1 || !std::isfinite(half)) continue;
    estimate.low = std::max(info.lower, estimate.value - half);
    estimate.high = std::min(info.upper, estimate.value + half);
  }
}

} // namespace memlane::measure
