// How tables write the numbers of a column: all of them alike.
#pragma once

#include "memlane/store/store.hpp"

#include <cmath>
#include <string>

namespace memlane {

/// Whole numbers alone are written in full. With a real number in the column, all have the same
/// digits behind the point: `digits` significant ones of the greatest number and four of the least
/// have room, if they need them. All have exponents where that is too many, or where a number is
/// above 2^53 and its digits would be none of its own.
class ColumnNotation {
public:
  explicit ColumnNotation(int digits) : digits_(digits) {}

  void hold(const sweep::Cell& cell);
  /// A cell of the column; texts as they are, nothing as nothing.
  std::string text(const sweep::Cell& cell) const;

private:
  int decimals() const;

  int digits_;
  bool has_real_ = false;
  double greatest_ = 0, least_ = INFINITY; ///< magnitudes, the latter of real numbers but 0
  int decimals_ = 0;                       ///< that `digits_` of each number need
  int mantissa_ = 0;                       ///< that they need before an exponent
};

} // namespace memlane
