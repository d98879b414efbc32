#include "fit_problem.hpp"

#include <Eigen/QR>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>

namespace memlane::measure {
namespace {

/// Central difference of a used point's time units in a parameter of the simulator. The step is
/// 1/16 of the value, because the addition of single stages would dominate a smaller one.
double slope(const FitProblem& problem, std::size_t point, const ParameterValues& values,
             Parameter p) {
  const ParameterInfo& info = info_of(p);
  const double value = values[p];
  const double step = std::max(1.0, std::round(value / 16));
  ParameterValues low = values, high = values;
  low[p] = std::max(info.lower, value - step);
  high[p] = std::min(info.upper, value + step);
  const double rise =
      problem.times.exact(point, timing_of(high)) - problem.times.exact(point, timing_of(low));
  return rise / (high[p] - low[p]);
}

Eigen::VectorXd jacobian_column(const FitProblem& problem, const ParameterValues& values,
                                Parameter p) {
  Eigen::VectorXd column(static_cast<Eigen::Index>(problem.used.size()));
  for (std::size_t row = 0; row < problem.used.size(); ++row) {
    const std::size_t point = problem.used[row];
    double change = 0;
    if (p == Parameter::launch) {
      change = problem.points[point].launches;
    } else if (p == Parameter::unit) {
      change = problem.times.exact(point, timing_of(values));
    } else {
      change = values[Parameter::unit] * slope(problem, point, values, p);
    }
    column[static_cast<Eigen::Index>(row)] =
        problem.scales[point] * change / problem.points[point].ns;
  }
  return column;
}

EstimateStatus status_at(const ParameterInfo& info, double value) {
  if (value <= info.lower) return EstimateStatus::at_lower_bound;
  if (value >= info.upper) return EstimateStatus::at_upper_bound;
  return EstimateStatus::free;
}

/// The Jacobian of some parameters, its columns scaled to length 1, as QR with pivoting.
struct Factors {
  std::vector<Parameter> parameters;
  std::vector<double> norms;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
};

Factors factorize(const FitProblem& problem, const ParameterValues& values,
                  const std::vector<Parameter>& wanted) {
  Factors factors{wanted, {}, {}};
  Eigen::MatrixXd jacobian(static_cast<Eigen::Index>(problem.used.size()),
                           static_cast<Eigen::Index>(wanted.size()));
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    Eigen::VectorXd column = jacobian_column(problem, values, wanted[k]);
    const double norm = column.norm();
    factors.norms.push_back(norm > 0 ? norm : 1);
    jacobian.col(static_cast<Eigen::Index>(k)) = column / factors.norms.back();
  }
  factors.qr.setThreshold(1e-9);
  factors.qr.compute(jacobian);
  return factors;
}

/// Whether a parameter's column is linearly dependent: pivoting puts such columns last; also true
/// for the columns of which they are combinations.
std::vector<bool> undetermined_parameters(const Factors& factors) {
  const auto count = static_cast<Eigen::Index>(factors.parameters.size());
  const Eigen::Index rank = factors.qr.rank();
  std::vector<bool> dependent(factors.parameters.size(), false);
  const auto original = [&](Eigen::Index k) {
    return static_cast<std::size_t>(factors.qr.colsPermutation().indices()[k]);
  };
  const Eigen::MatrixXd upper = factors.qr.matrixQR().topLeftCorner(rank, count);
  for (Eigen::Index k = rank; k < count; ++k) {
    dependent[original(k)] = true;
    const Eigen::VectorXd parts =
        upper.leftCols(rank).triangularView<Eigen::Upper>().solve(Eigen::VectorXd(upper.col(k)));
    for (Eigen::Index j = 0; j < rank; ++j) {
      if (std::abs(parts[j]) > 1e-6) dependent[original(j)] = true;
    }
  }
  return dependent;
}

void set_interval(const ParameterInfo& info, double half_width, Estimate& estimate) {
  if (!std::isfinite(half_width)) return;
  estimate.low = std::max(info.lower, estimate.value - half_width);
  estimate.high = std::min(info.upper, estimate.value + half_width);
}

/// Huber's estimate of the variance that multiplies (J'J)^-1 [Huber 1981, section 7.6]: that of
/// least squares if no residual is beyond the threshold; none if all are.
std::optional<double> residual_variance(const FitProblem& problem, const ParameterValues& values,
                                        std::size_t estimated, std::int64_t freedom) {
  const std::vector<double> residuals = scaled_residuals(problem, values);
  double squares = 0, within = 0;
  for (double z : residuals) {
    const double clamped = std::clamp(z, -problem.huber_threshold, problem.huber_threshold);
    squares += clamped * clamped;
    within += std::abs(z) <= problem.huber_threshold ? 1 : 0;
  }
  const auto count = static_cast<double>(residuals.size());
  const double part = within / count;
  if (part == 0) return std::nullopt;
  const double correction = 1 + static_cast<double>(estimated) / count * (1 - part) / part;
  return correction * correction * squares / static_cast<double>(freedom) / (part * part);
}

} // namespace

void estimate_intervals(const FitProblem& problem, const ParameterValues& values, Fit& fit) {
  std::vector<Parameter> wanted, inside;
  for (const ParameterInfo& info : parameters()) {
    if (problem.free[info.parameter]) wanted.push_back(info.parameter);
  }
  if (wanted.empty()) return;
  // Dependence comes first: a dependent parameter may be at a bound by chance.
  const std::vector<bool> dependent = undetermined_parameters(factorize(problem, values, wanted));
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    Estimate& estimate = fit.estimates[wanted[k]];
    estimate.status =
        dependent[k] ? EstimateStatus::undetermined : status_at(info_of(wanted[k]), estimate.value);
    if (estimate.status == EstimateStatus::free) inside.push_back(wanted[k]);
  }
  // c dependent parameters still use c - 1 degrees of freedom.
  const auto rows = static_cast<std::int64_t>(problem.used.size());
  fit.degrees_of_freedom = rows - static_cast<std::int64_t>(inside.size());
  const auto dependents = std::count(dependent.begin(), dependent.end(), true);
  if (dependents > 1) fit.degrees_of_freedom -= dependents - 1;
  if (inside.empty()) return;
  const Factors factors = factorize(problem, values, inside);
  if (fit.degrees_of_freedom < 1) return;

  // cov = s^2 (J'J)^-1 with J = Q R P': its diagonal is the squared rows of P R^-1.
  const auto count = static_cast<Eigen::Index>(inside.size());
  const Eigen::MatrixXd inverse =
      factors.qr.matrixQR()
          .topLeftCorner(count, count)
          .triangularView<Eigen::Upper>()
          .solve(Eigen::MatrixXd(Eigen::MatrixXd::Identity(count, count)));
  const auto variance = residual_variance(problem, values, inside.size(), fit.degrees_of_freedom);
  if (!variance) return;
  // Boost would compute in long double.
  using Precision = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const boost::math::students_t_distribution<double, Precision> students_t(
      static_cast<double>(fit.degrees_of_freedom));
  const double t = quantile(students_t, 0.975);
  for (Eigen::Index row = 0; row < count; ++row) {
    const auto k = static_cast<std::size_t>(factors.qr.colsPermutation().indices()[row]);
    const double deviation = std::sqrt(*variance) * inverse.row(row).norm() / factors.norms[k];
    set_interval(info_of(inside[k]), t * deviation, fit.estimates[inside[k]]);
  }
}

} // namespace memlane::measure
