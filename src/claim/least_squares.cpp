#include "least_squares.hpp"

#include <cmath>
#include <numeric>

namespace memlane::claims {
namespace {

using Column = std::vector<double>;

/// A column whose part off the others is smaller than this, beside the whole, depends on them.
constexpr double dependent = 1e-9;

double dot(const Column& a, const Column& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Column centred(Column column) {
  const double mean =
      std::accumulate(column.begin(), column.end(), 0.0) / static_cast<double>(column.size());
  for (double& value : column) value -= mean;
  return column;
}

/// Columns of Q with column = sum of r * q: modified Gram-Schmidt, run twice so that rounding of
/// nearly dependent columns does not spoil it.
struct Basis {
  std::vector<Column> q;
  std::vector<std::size_t> of;        ///< which column each q came from
  std::vector<std::vector<double>> r; ///< r[k][j]: part of fitted column k along q[j], j <= k

  /// Takes the column in, or finds it dependent and says on which.
  Coefficient add(const Column& column, std::size_t index) {
    Column rest = column;
    std::vector<double> parts(q.size() + 1, 0.0);
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t j = 0; j < q.size(); ++j) {
        const double part = dot(q[j], rest);
        parts[j] += part;
        for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= part * q[j][i];
      }
    const double whole = std::sqrt(dot(column, column));
    const double length = std::sqrt(dot(rest, rest));
    Coefficient coefficient;
    if (whole < dependent) return coefficient;
    if (length <= dependent * whole) {
      for (std::size_t j = 0; j < q.size(); ++j)
        if (std::abs(parts[j]) > dependent * whole) coefficient.follows = of[j] + 1;
      return coefficient;
    }
    for (double& value : rest) value /= length;
    parts.back() = length;
    q.push_back(std::move(rest));
    r.push_back(std::move(parts));
    of.push_back(index);
    coefficient.fitted = true;
    return coefficient;
  }
};

/// Solves R x = b for the upper triangle R[j][k] = r[k][j].
std::vector<double> back_substitute(const Basis& basis, std::vector<double> b) {
  for (std::size_t k = b.size(); k-- > 0;) {
    b[k] /= basis.r[k][k];
    for (std::size_t j = 0; j < k; ++j) b[j] -= basis.r[k][j] * b[k];
  }
  return b;
}

} // namespace

Fit least_squares(const std::vector<Column>& columns, const Column& y) {
  Fit fit;
  Basis basis;
  for (std::size_t c = 0; c < columns.size(); ++c)
    fit.coefficients.push_back(basis.add(centred(columns[c]), c));
  const std::size_t rank = basis.q.size();
  fit.freedom = static_cast<std::ptrdiff_t>(y.size()) - static_cast<std::ptrdiff_t>(rank) - 1;

  Column residual = centred(y);
  std::vector<double> along(rank);
  for (std::size_t j = 0; j < rank; ++j) {
    along[j] = dot(basis.q[j], residual);
    for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= along[j] * basis.q[j][i];
  }
  const std::vector<double> slopes = back_substitute(basis, along);
  const double variance =
      fit.freedom > 0 ? dot(residual, residual) / static_cast<double>(fit.freedom) : 0;
  // Variance of slope k is variance * sum over j of (R^-1)[k][j]^2.
  std::vector<double> squares(rank, 0.0);
  for (std::size_t j = 0; j < rank; ++j) {
    std::vector<double> unit(rank, 0.0);
    unit[j] = 1;
    const std::vector<double> inverse = back_substitute(basis, unit);
    for (std::size_t k = 0; k < rank; ++k) squares[k] += inverse[k] * inverse[k];
  }
  for (std::size_t k = 0; k < rank; ++k) {
    fit.coefficients[basis.of[k]].slope = slopes[k];
    fit.coefficients[basis.of[k]].error = std::sqrt(variance * squares[k]);
  }
  return fit;
}

} // namespace memlane::claims
