// Linear least squares with an intercept, and the standard error of each slope.
#pragma once

#include <cstddef>
#include <vector>

namespace memlane::claims {

/// One column's part in a fit.
struct Coefficient {
  bool fitted = false;     ///< false: the column is constant or a combination of columns before it
  std::size_t follows = 0; ///< then: the last column before it that it depends on, plus 1; 0: none
  double slope = 0;
  double error = 0; ///< standard error
};

struct Fit {
  std::vector<Coefficient> coefficients; ///< one a column
  std::ptrdiff_t freedom = 0;            ///< points - fitted columns - 1
};

/// y = c + sum of slope * column. Requires columns of y's length.
Fit least_squares(const std::vector<std::vector<double>>& columns, const std::vector<double>& y);

} // namespace memlane::claims
