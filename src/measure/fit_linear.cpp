#include "fit_problem.hpp"

#include <Eigen/QR>

#include <algorithm>

namespace memlane::measure {
namespace {

/// One of the two linear parameters, or a value it is held at.
struct LinearColumn {
  Parameter parameter;
  Eigen::VectorXd values;
  double lo, hi;
};

Eigen::VectorXd residuals_at(const std::vector<LinearColumn>& columns, const Eigen::VectorXd& right,
                             const Eigen::VectorXd& x) {
  Eigen::VectorXd rest = -right;
  for (std::size_t i = 0; i < columns.size(); ++i)
    rest += columns[i].values * x[static_cast<Eigen::Index>(i)];
  return rest;
}

/// qr.solve(right), a reflection at a time: Eigen's own works on blocks of right-hand sides, which
/// take longer to compile than all the rest of a fit.
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

/// Least squares of the columns whose `held` is none. Columns are scaled to length 1 before: a
/// launch is thousands of time units.
Eigen::VectorXd solve_held(const std::vector<LinearColumn>& columns, Eigen::VectorXd right,
                           const std::vector<std::optional<double>>& held) {
  std::vector<std::size_t> open;
  const auto count = static_cast<Eigen::Index>(columns.size());
  Eigen::VectorXd x(count);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (held[i]) {
      x[static_cast<Eigen::Index>(i)] = *held[i];
      right -= columns[i].values * *held[i];
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

/// With two columns there are at most nine ways to be inside or at a bound: the best that keeps the
/// bounds is the minimum, because the sum of squares is convex.
Eigen::VectorXd solve_bounded(const std::vector<LinearColumn>& columns,
                              const Eigen::VectorXd& right) {
  std::size_t ways = 1;
  for (std::size_t i = 0; i < columns.size(); ++i) ways *= 3;
  Eigen::VectorXd best;
  double least = INFINITY;
  for (std::size_t way = 0; way < ways; ++way) {
    std::vector<std::optional<double>> held(columns.size());
    std::size_t rest = way;
    for (std::size_t i = 0; i < columns.size(); ++i, rest /= 3) {
      if (rest % 3 != 0) held[i] = rest % 3 == 1 ? columns[i].lo : columns[i].hi;
    }
    const Eigen::VectorXd x = solve_held(columns, right, held);
    bool inside = x.allFinite();
    for (std::size_t i = 0; i < columns.size() && inside; ++i) {
      const double value = x[static_cast<Eigen::Index>(i)];
      inside = value >= columns[i].lo && value <= columns[i].hi;
    }
    const double squares = inside ? residuals_at(columns, right, x).squaredNorm() : INFINITY;
    if (squares < least) {
      least = squares;
      best = x;
    }
  }
  return best;
}

/// Huber's loss of a scaled residual.
double loss_of(double z, double bend) {
  const double size = std::abs(z);
  return size <= bend ? z * z : 2 * bend * size - bend * bend;
}

/// Iteratively reweighted least squares [Holland & Welsch 1977]: each round solves for the squares
/// that touch the loss from above at the residuals before, so that the loss never grows.
Eigen::VectorXd solve_robust(const std::vector<LinearColumn>& columns, const Eigen::VectorXd& right,
                             double bend) {
  Eigen::VectorXd x = solve_bounded(columns, right);
  for (int round = 0; round < 50 && !columns.empty(); ++round) {
    const Eigen::VectorXd rest = residuals_at(columns, right, x);
    if (rest.lpNorm<Eigen::Infinity>() <= bend) break;
    Eigen::VectorXd roots(right.size());
    for (Eigen::Index row = 0; row < right.size(); ++row)
      roots[row] = std::sqrt(bend / std::max(std::abs(rest[row]), bend));
    std::vector<LinearColumn> weighted = columns;
    for (LinearColumn& column : weighted) column.values = column.values.cwiseProduct(roots);
    const Eigen::VectorXd next = solve_bounded(weighted, right.cwiseProduct(roots));
    const Eigen::VectorXd change = residuals_at(columns, right, next) - rest;
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
  LinearSolution solution{at(values, Parameter::unit), at(values, Parameter::launch), 0};
  const auto take = [&](Parameter p, const Eigen::VectorXd& column, double value) {
    if (is_free(problem, p)) {
      columns.push_back({p, column, info_of(p).lo, info_of(p).hi});
    } else {
      right -= column * value;
    }
  };
  take(Parameter::unit, unit, solution.unit);
  take(Parameter::launch, launch, solution.launch);
  const Eigen::VectorXd x = solve_robust(columns, right, problem.bend);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    (columns[i].parameter == Parameter::unit ? solution.unit : solution.launch) =
        x[static_cast<Eigen::Index>(i)];
  }
  const Eigen::VectorXd rest = residuals_at(columns, right, x);
  for (Eigen::Index row = 0; row < rows; ++row) solution.loss += loss_of(rest[row], problem.bend);
  return solution;
}

} // namespace memlane::measure
