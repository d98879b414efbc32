// Integers that follow a pattern over the lanes of many warps, in a few numbers.
//
// The lanes of a warp form rows of equal length. In a plain value the whole warp is one row. The
// indices of a `forall` of several ranges are folded if the last range is shorter than a warp: the
// inner index restarts with each row and the outer one increases. Rows may form rows of rows.
#pragma once

#include "memlane/ir/arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace memlane::fast {

/// The threads that are executed together: whole warps of one block.
struct Shape {
  int warps = 1;
  int width = 1;
  int lanes() const { return warps * width; }
};

/// By how much the value grows from one group of so many lanes to the next.
struct Fold {
  std::int32_t lanes = 1;
  std::int64_t step = 0;
  bool operator==(const Fold&) const = default;
};

/// A linear part of the pattern: 0 to count - 1 times `step`, once in so many lanes.
struct Digit {
  std::int64_t step = 0, count = 1, lanes = 1;
};

inline constexpr int most_folds = 4;

/// The offset of lane j from lane 0 of a warp. Without folds it is lane_step * j. With folds, j is
/// a number whose digits are the lane in its row, the row in its group and so on; each has a step.
struct Pattern {
  std::int64_t lane_step = 0; ///< inside a row
  int folds = 0;
  std::array<Fold, most_folds> fold; ///< the shortest first; each is a multiple of the one before

  std::int64_t offset(int j) const {
    if (folds == 0) return lane_step * j;
    std::int64_t offset = lane_step * (j % fold[0].lanes);
    for (int f = 0; f < folds; ++f) offset += fold_at(f).step * digit(f, j);
    return offset;
  }
  /// Lanes of a row, in warps of this width.
  int row(int width) const { return folds == 0 ? width : fold[0].lanes; }
  /// Number d of the folds + 1 digits.
  Digit digit_of(int d, int width) const {
    const std::int64_t lanes = d == 0 ? 1 : fold_at(d - 1).lanes;
    const std::int64_t end = d == folds ? width : fold_at(d).lanes;
    return {d == 0 ? lane_step : fold_at(d - 1).step, end / lanes, lanes};
  }
  bool same(const Pattern& other) const {
    return lane_step == other.lane_step && folds == other.folds &&
           std::equal(fold.begin(), fold.begin() + folds, other.fold.begin());
  }
  void set(const Pattern& from) {
    lane_step = from.lane_step;
    folds = from.folds;
    if (folds > 0) fold = from.fold;
  }
  /// Adds the digit of groups of `lanes` lanes, more than the last digit's; the first has 1. A fold
  /// that continues the last digit is left out, so that a pattern has one form. False: too many.
  bool add_digit(std::int64_t lanes, std::int64_t step);

private:
  const Fold& fold_at(int f) const { return fold[static_cast<std::size_t>(f)]; }
  std::int64_t digit(int f, int j) const {
    return (f + 1 < folds ? j % fold_at(f + 1).lanes : j) / fold_at(f).lanes;
  }
};

/// Integers: lane j of warp k holds base(k) + offset(j).
struct Rows : Pattern {
  bool even = true; ///< base(k) = first + warp_step * k, and `bases` is not used
  std::int64_t first = 0;
  std::int64_t warp_step = 0;
  std::vector<std::int64_t> bases;

  std::int64_t base(int k) const {
    return even ? first + warp_step * k : bases[static_cast<std::size_t>(k)];
  }
  std::int64_t at(int k, int j) const { return base(k) + offset(j); }
  /// All but the bases.
  void set_all(const Rows& from) {
    set(from);
    even = from.even;
    first = from.first;
    warp_step = from.warp_step;
  }
};

/// Calls f(j, offset) for the first lane of every row of a warp.
template <class F>
void each_row(const Pattern& pattern, int width, F f) {
  const int row = pattern.row(width);
  if (pattern.folds < 2) {
    std::int64_t offset = 0;
    for (int j = 0; j < width; j += row, offset += pattern.fold[0].step) f(j, offset);
    return;
  }
  for (int j = 0; j < width; j += row) f(j, pattern.offset(j));
}

/// The least and the greatest of some numbers.
struct Extent {
  std::int64_t least = 0, most = 0;
};

/// The extent of the offsets in a warp.
inline Extent across(const Pattern& pattern, int width) {
  if (pattern.folds == 0) {
    const std::int64_t last = pattern.lane_step * (width - 1);
    return {std::min<std::int64_t>(0, last), std::max<std::int64_t>(0, last)};
  }
  Extent extent;
  for (int d = 0; d <= pattern.folds; ++d) {
    const Digit digit = pattern.digit_of(d, width);
    const std::int64_t last = digit.step * (digit.count - 1);
    (last < 0 ? extent.least : extent.most) += last;
  }
  return extent;
}
/// The extent of all lanes.
inline Extent extent_of(const Rows& rows, const Shape& shape) {
  std::int64_t least = rows.first, most = least;
  if (rows.even) {
    const std::int64_t last = rows.first + rows.warp_step * (shape.warps - 1);
    (last < least ? least : most) = last;
  } else {
    const auto [low, high] =
        std::minmax_element(rows.bases.begin(), rows.bases.begin() + shape.warps);
    least = *low;
    most = *high;
  }
  const Extent offsets = across(rows, shape.width);
  return {least + offsets.least, most + offsets.most};
}

/// Whether all lanes are from -most - 1 to `most`. No intermediate result overflows.
bool lanes_within(const Rows& rows, const Shape& shape, std::int64_t most);

/// Whether every lane, active or not, fits `type`; a long must be below 2^61, so that sums and
/// differences of two cannot overflow.
inline bool rows_fit(const Rows& rows, const Shape& shape, ir::Scalar type) {
  const std::int64_t most = type == ir::Scalar::int32 ? INT32_MAX : std::int64_t{1} << 61;
  // Nearly all numbers are small.
  constexpr std::uint64_t small = 1 << 19;
  const auto is_small = [](std::int64_t x) {
    return static_cast<std::uint64_t>(x) + small <= 2 * small;
  };
  bool all_small = rows.even && shape.warps + shape.width < 4000 && is_small(rows.first) &&
                   is_small(rows.warp_step) && is_small(rows.lane_step);
  for (int f = 0; f < rows.folds; ++f)
    all_small = all_small && is_small(rows.fold[static_cast<std::size_t>(f)].step);
  if (all_small) return true; // the digits add up to less than the width: all is below 4000 * 2^19
  return lanes_within(rows, shape, most);
}

/// Finds out whether the bases are in steps; forgets `bases` if so.
void make_even(Rows& rows, const Shape& shape);

/// base(k) = f(base of a, base of b) for each warp; even where both are even and f is `linear`.
template <class F>
void combine_bases(const Rows& a, const Rows& b, const Shape& shape, bool linear, Rows& out, F f) {
  if (linear && a.even && b.even) {
    out.even = true;
    out.first = f(a.first, b.first);
    out.warp_step = f(a.warp_step, b.warp_step);
    return;
  }
  out.even = false;
  out.bases.resize(static_cast<std::size_t>(shape.warps));
  for (int k = 0; k < shape.warps; ++k)
    out.bases[static_cast<std::size_t>(k)] = f(a.base(k), b.base(k));
  make_even(out, shape);
}

// No overflow if rows_fit holds for the operands as longs, and for a multiple also for the product
// of factor and extent. `out` must not be an operand.

/// a + b, or with `sign` -1, a - b. False: the result has no pattern.
bool add_rows(const Rows& a, const Rows& b, int sign, const Shape& shape, Rows& out);
void multiply_rows(const Rows& a, std::int64_t factor, const Shape& shape, Rows& out);
/// Quotient or remainder of numbers >= 0 by `divisor` >= 1. False: no pattern was found.
bool divide_rows(const Rows& a, std::int64_t divisor, bool quotient, const Shape& shape, Rows& out);

} // namespace memlane::fast
