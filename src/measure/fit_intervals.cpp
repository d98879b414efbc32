#include "fit_problem.hpp"

#include <Eigen/QR>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>

namespace memlane::measure {
namespace {

/// How a used point's time units change with a parameter of the simulator: over a step of some
/// percent to both sides, since a smaller one would see single stages come and go.
double slope(const FitProblem& problem, std::size_t point, const ParameterValues& values,
             Parameter p) {
  const ParameterInfo& info = info_of(p);
  const double value = at(values, p);
  const double step = std::max(1.0, std::round(value / 16));
  ParameterValues low = values, high = values;
  at(low, p) = std::max(info.lo, value - step);
  at(high, p) = std::min(info.hi, value + step);
  const double rise =
      problem.times.exact(point, knobs_of(high)) - problem.times.exact(point, knobs_of(low));
  return rise / (at(high, p) - at(low, p));
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
      change = problem.times.exact(point, knobs_of(values));
    } else {
      change = at(values, Parameter::unit) * slope(problem, point, values, p);
    }
    column[static_cast<Eigen::Index>(row)] =
        problem.scales[point] * change / problem.points[point].ns;
  }
  return column;
}

Standing standing_of(const ParameterInfo& info, double value) {
  if (value <= info.lo) return Standing::at_least;
  if (value >= info.hi) return Standing::at_most;
  return Standing::free;
}

/// The Jacobian of some parameters, its columns scaled to length 1, as QR with pivoting.
struct Factors {
  std::vector<Parameter> parameters;
  std::vector<double> norms;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
};

Factors factor(const FitProblem& problem, const ParameterValues& values,
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

/// Parameters whose columns the others make up: the last ones of the pivoting, and with them those
/// that have a part in making them up. Empty if the points tell all apart.
std::vector<bool> not_told_apart(const Factors& factors) {
  const auto count = static_cast<Eigen::Index>(factors.parameters.size());
  const Eigen::Index rank = factors.qr.rank();
  std::vector<bool> lost(factors.parameters.size(), false);
  const auto original = [&](Eigen::Index k) {
    return static_cast<std::size_t>(factors.qr.colsPermutation().indices()[k]);
  };
  const Eigen::MatrixXd upper = factors.qr.matrixQR().topLeftCorner(rank, count);
  for (Eigen::Index k = rank; k < count; ++k) {
    lost[original(k)] = true;
    const Eigen::VectorXd parts =
        upper.leftCols(rank).triangularView<Eigen::Upper>().solve(Eigen::VectorXd(upper.col(k)));
    for (Eigen::Index j = 0; j < rank; ++j) {
      if (std::abs(parts[j]) > 1e-6) lost[original(j)] = true;
    }
  }
  return lost;
}

void set_interval(const ParameterInfo& info, double half_width, Estimate& estimate) {
  if (!std::isfinite(half_width)) return;
  estimate.low = std::max(info.lo, estimate.value - half_width);
  estimate.high = std::min(info.hi, estimate.value + half_width);
}

/// Huber's estimate of the variance that multiplies (J'J)^-1 [Huber 1981, section 7.6]. It is the
/// estimate of least squares if no residual is beyond the bend. None if all are.
std::optional<double> residual_variance(const FitProblem& problem, const ParameterValues& values,
                                        std::size_t estimated, std::int64_t freedom) {
  const std::vector<double> residuals = scaled_residuals(problem, values);
  double squares = 0, within = 0;
  for (double z : residuals) {
    const double held = std::clamp(z, -problem.bend, problem.bend);
    squares += held * held;
    within += std::abs(z) <= problem.bend ? 1 : 0;
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
    if (is_free(problem, info.parameter)) wanted.push_back(info.parameter);
  }
  if (wanted.empty()) return;
  // One at a bound may be there only because another could take its part.
  const std::vector<bool> lost = not_told_apart(factor(problem, values, wanted));
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    Estimate& estimate = fit.estimates[static_cast<std::size_t>(wanted[k])];
    estimate.standing =
        lost[k] ? Standing::undetermined : standing_of(info_of(wanted[k]), estimate.value);
    if (estimate.standing == Standing::free) inside.push_back(wanted[k]);
  }
  // Values that the points do not tell apart were chosen still.
  const auto rows = static_cast<std::int64_t>(problem.used.size());
  fit.freedom = rows - static_cast<std::int64_t>(inside.size());
  if (inside.size() < wanted.size() && std::count(lost.begin(), lost.end(), true) > 1)
    fit.freedom -= std::count(lost.begin(), lost.end(), true) - 1;
  if (inside.empty()) return;
  const Factors factors = factor(problem, values, inside);
  if (fit.freedom < 1) return;

  // cov = s^2 (J'J)^-1 with J = Q R P': its diagonal is the squared rows of P R^-1.
  const auto count = static_cast<Eigen::Index>(inside.size());
  const Eigen::MatrixXd inverse =
      factors.qr.matrixQR()
          .topLeftCorner(count, count)
          .triangularView<Eigen::Upper>()
          .solve(Eigen::MatrixXd(Eigen::MatrixXd::Identity(count, count)));
  const auto variance = residual_variance(problem, values, inside.size(), fit.freedom);
  if (!variance) return;
  // In double: Boost would go through long double.
  using Precision = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const boost::math::students_t_distribution<double, Precision> students_t(
      static_cast<double>(fit.freedom));
  const double t = quantile(students_t, 0.975);
  for (Eigen::Index row = 0; row < count; ++row) {
    const auto k = static_cast<std::size_t>(factors.qr.colsPermutation().indices()[row]);
    const double deviation = std::sqrt(*variance) * inverse.row(row).norm() / factors.norms[k];
    set_interval(info_of(inside[k]), t * deviation,
                 fit.estimates[static_cast<std::size_t>(inside[k])]);
  }
}

} // namespace memlane::measure
