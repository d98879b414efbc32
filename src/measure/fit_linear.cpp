#include "fit_problem.hpp"

#include <Eigen/QR>

#include <algorithm>

namespace memlane::measure {
namespace {

/// A free linear parameter: unit or launch.
struct LinearColumn {
  Parameter parameter;
  Eigen::VectorXd values;
  double lower, upper;
};

Eigen::VectorXd residuals_at(const std::vector<LinearColumn>& columns, const Eigen::VectorXd& right,
                             const Eigen::VectorXd& x) {
  Eigen::VectorXd residuals = -right;
  for (std::size_t i = 0; i < columns.size(); ++i)
    residuals += columns[i].values * x[static_cast<Eigen::Index>(i)];
  return residuals;
}

/// qr.solve(right), one reflection at a time: Eigen's own is blocked for many right-hand sides and
/// takes longer to compile than the rest of this room.
Eigen::VectorXd solve_by(const Eigen::ColPivHouseholderQR<Eigen::MatrixXd>& qr,
                         Eigen::VectorXd right) {
  const Eigen::Index rank = qr.rank();
  double workspace = 0;
  for (Eigen::Index k = 0; k < rank; ++k) {
    const Eigen::Index below = right.size() - k;
    right.tail(below).applyHouseholderOnTheLeft(qr.matrixQR().col(k).tail(below - 1),
                                                qr.hCoeffs()[k], &workspace);
  }
  Eigen::VectorXd solved = Eigen::VectorXd::Zero(qr.cols());
  solved.head(rank) = qr.matrixQR()
                          .topLeftCorner(rank, rank)
                          .triangularView<Eigen::Upper>()
                          .solve(Eigen::VectorXd(right.head(rank)));
  return qr.colsPermutation() * solved;
}

/// Least squares of the columns without a fixed value. Scales the columns to length 1, because a
/// launch is thousands of time units.
Eigen::VectorXd solve_with_fixed(const std::vector<LinearColumn>& columns, Eigen::VectorXd right,
                                 const std::vector<std::optional<double>>& fixed) {
  std::vector<std::size_t> open;
  const auto count = static_cast<Eigen::Index>(columns.size());
  Eigen::VectorXd x(count);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (fixed[i]) {
      x[static_cast<Eigen::Index>(i)] = *fixed[i];
      right -= columns[i].values * *fixed[i];
    } else {
      open.push_back(i);
    }
  }
  if (open.empty()) return x;
  Eigen::MatrixXd matrix(right.size(), static_cast<Eigen::Index>(open.size()));
  std::vector<double> norms;
  for (std::size_t k = 0; k < open.size(); ++k) {
    const double norm = columns[open[k]].values.norm();
    norms.push_back(norm > 0 ? norm : 1);
    matrix.col(static_cast<Eigen::Index>(k)) = columns[open[k]].values / norms.back();
  }
  const Eigen::VectorXd solved = solve_by(matrix.colPivHouseholderQr(), right);
  for (std::size_t k = 0; k < open.size(); ++k)
    x[static_cast<Eigen::Index>(open[k])] = solved[static_cast<Eigen::Index>(k)] / norms[k];
  return x;
}

/// Each of at most two values is inside its bounds, at the lower or at the upper one. The sum of
/// squares is convex, so that the best feasible one of these (at most nine) cases is the minimum.
Eigen::VectorXd solve_bounded(const std::vector<LinearColumn>& columns,
                              const Eigen::VectorXd& right) {
  std::size_t cases = 1;
  for (std::size_t i = 0; i < columns.size(); ++i) cases *= 3;
  Eigen::VectorXd best;
  double least = INFINITY;
  for (std::size_t number = 0; number < cases; ++number) {
    std::vector<std::optional<double>> fixed(columns.size());
    std::size_t digits = number;
    for (std::size_t i = 0; i < columns.size(); ++i, digits /= 3) {
      if (digits % 3 != 0) fixed[i] = digits % 3 == 1 ? columns[i].lower : columns[i].upper;
    }
    const Eigen::VectorXd x = solve_with_fixed(columns, right, fixed);
    bool feasible = x.allFinite();
    for (std::size_t i = 0; i < columns.size() && feasible; ++i) {
      const double value = x[static_cast<Eigen::Index>(i)];
      feasible = value >= columns[i].lower && value <= columns[i].upper;
    }
    const double squares = feasible ? residuals_at(columns, right, x).squaredNorm() : INFINITY;
    if (squares < least) {
      least = squares;
      best = x;
    }
  }
  return best;
}

/// Huber's loss of a scaled residual.
double loss_of(double z, double threshold) {
  const double size = std::abs(z);
  return size <= threshold ? z * z : 2 * threshold * size - threshold * threshold;
}

/// Iteratively reweighted least squares [Holland & Welsch 1977]: each round minimises a sum of
/// squares that bounds the loss from above and equals it at the last residuals, so that the loss
/// never grows.
Eigen::VectorXd solve_robust(const std::vector<LinearColumn>& columns, const Eigen::VectorXd& right,
                             double threshold) {
  Eigen::VectorXd x = solve_bounded(columns, right);
  for (int round = 0; round < 50 && !columns.empty(); ++round) {
    const Eigen::VectorXd residuals = residuals_at(columns, right, x);
    if (residuals.lpNorm<Eigen::Infinity>() <= threshold) break;
    Eigen::VectorXd roots(right.size());
    for (Eigen::Index row = 0; row < right.size(); ++row)
      roots[row] = std::sqrt(threshold / std::max(std::abs(residuals[row]), threshold));
    std::vector<LinearColumn> weighted = columns;
    for (LinearColumn& column : weighted) column.values = column.values.cwiseProduct(roots);
    const Eigen::VectorXd next = solve_bounded(weighted, right.cwiseProduct(roots));
    const Eigen::VectorXd change = residuals_at(columns, right, next) - residuals;
    x = next;
    if (change.lpNorm<Eigen::Infinity>() < 1e-10) break;
  }
  return x;
}

} // namespace

LinearSolution solve_linear(const FitProblem& problem, const std::vector<double>& units,
                            const ParameterValues& values) {
  const auto rows = static_cast<Eigen::Index>(units.size());
  Eigen::VectorXd unit(rows), launch(rows), right(rows);
  for (Eigen::Index row = 0; row < rows; ++row) {
    const std::size_t used = problem.used[static_cast<std::size_t>(row)];
    const FitPoint& point = problem.points[used];
    const double scale = problem.scales[used];
    unit[row] = scale * units[static_cast<std::size_t>(row)] / point.ns;
    launch[row] = scale * point.launches / point.ns;
    right[row] = scale;
  }
  std::vector<LinearColumn> columns;
  LinearSolution solution{values[Parameter::unit], values[Parameter::launch], 0};
  const auto add_or_subtract = [&](Parameter p, const Eigen::VectorXd& column, double value) {
    if (problem.free[p]) {
      columns.push_back({p, column, info_of(p).lower, info_of(p).upper});
    } else {
      right -= column * value;
    }
  };
  add_or_subtract(Parameter::unit, unit, solution.unit);
  add_or_subtract(Parameter::launch, launch, solution.launch);
  const Eigen::VectorXd x = solve_robust(columns, right, problem.huber_threshold);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    (columns[i].parameter == Parameter::unit ? solution.unit : solution.launch) =
        x[static_cast<Eigen::Index>(i)];
  }
  const Eigen::VectorXd residuals = residuals_at(columns, right, x);
  for (Eigen::Index row = 0; row < rows; ++row)
    solution.loss += loss_of(residuals[row], problem.huber_threshold);
  return solution;
}

} // namespace memlane::measure
