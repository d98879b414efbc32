#include "rows.hpp"

#include <cstdlib>

namespace memlane::fast {

bool Pattern::add_digit(std::int64_t lanes, std::int64_t step) {
  if (lanes == 1) {
    lane_step = step;
    folds = 0;
    return true;
  }
  const std::int64_t before = folds == 0 ? lane_step : fold_at(folds - 1).step;
  const std::int64_t groups = folds == 0 ? lanes : lanes / fold_at(folds - 1).lanes;
  std::int64_t next = 0;
  if (!__builtin_mul_overflow(before, groups, &next) && next == step) return true;
  if (folds == most_folds) return false;
  fold[static_cast<std::size_t>(folds++)] = {static_cast<std::int32_t>(lanes), step};
  return true;
}

namespace {

/// As `across`; false where it overflows.
bool safely_across(const Pattern& pattern, int width, Extent& extent) {
  for (int d = 0; d <= pattern.folds; ++d) {
    const Digit digit = pattern.digit_of(d, width);
    std::int64_t last = 0;
    if (__builtin_mul_overflow(digit.step, digit.count - 1, &last)) return false;
    std::int64_t& end = last < 0 ? extent.least : extent.most;
    if (__builtin_add_overflow(end, last, &end)) return false;
  }
  return true;
}

} // namespace

bool lanes_within(const Rows& rows, const Shape& shape, std::int64_t most) {
  Extent offsets;
  if (!safely_across(rows, shape.width, offsets)) return false;
  // Bases between these two.
  if (offsets.least < -most - 1 || offsets.most > most) return false;
  const std::int64_t lowest = -most - 1 - offsets.least, highest = most - offsets.most;
  const auto good = [=](std::int64_t base) { return base >= lowest && base <= highest; };
  std::int64_t last = 0;
  if (rows.even)
    return good(rows.first) && !__builtin_mul_overflow(rows.warp_step, shape.warps - 1, &last) &&
           !__builtin_add_overflow(rows.first, last, &last) && good(last);
  return std::all_of(rows.bases.begin(), rows.bases.begin() + shape.warps, good);
}

void make_even(Rows& rows, const Shape& shape) {
  if (rows.even) return;
  const std::int64_t* bases = rows.bases.data();
  const std::int64_t step = shape.warps > 1 ? bases[1] - bases[0] : 0;
  bool even = true;
  for (int k = 1; k < shape.warps; ++k) even &= bases[k] - bases[k - 1] == step;
  if (!even) return;
  rows.even = true;
  rows.first = bases[0];
  rows.warp_step = step;
}

namespace {

/// The digits of two patterns side by side: the groups of each must be whole in the other's.
bool add_patterns(const Pattern& a, const Pattern& b, int sign, Pattern& out) {
  std::int64_t lanes = 1, of_a = a.lane_step, of_b = b.lane_step;
  out.add_digit(1, of_a + sign * of_b);
  const auto next = [](const Pattern& pattern, int f) {
    return f < pattern.folds ? pattern.fold[static_cast<std::size_t>(f)].lanes : INT32_MAX;
  };
  for (int x = 0, y = 0; x < a.folds || y < b.folds;) {
    const std::int64_t group = std::min(next(a, x), next(b, y));
    if (group % lanes != 0) return false;
    const auto step_of = [&](const Pattern& pattern, int& f, std::int64_t before) {
      return next(pattern, f) == group ? pattern.fold[static_cast<std::size_t>(f++)].step
                                       : before * (group / lanes);
    };
    of_a = step_of(a, x, of_a);
    of_b = step_of(b, y, of_b);
    if (!out.add_digit(group, of_a + sign * of_b)) return false;
    lanes = group;
  }
  return true;
}

} // namespace

bool add_rows(const Rows& a, const Rows& b, int sign, const Shape& shape, Rows& out) {
  out.folds = 0;
  if (a.folds == 0 && b.folds == 0) {
    out.lane_step = a.lane_step + sign * b.lane_step;
  } else if (!add_patterns(a, b, sign, out)) {
    return false;
  }
  combine_bases(a, b, shape, true, out,
                [=](std::int64_t x, std::int64_t y) { return x + sign * y; });
  return true;
}

void multiply_rows(const Rows& a, std::int64_t factor, const Shape& shape, Rows& out) {
  combine_bases(a, a, shape, true, out, [=](std::int64_t x, std::int64_t) { return x * factor; });
  out.set(a);
  out.lane_step *= factor;
  if (factor == 0) out.folds = 0;
  for (int f = 0; f < out.folds; ++f) out.fold[static_cast<std::size_t>(f)].step *= factor;
}

namespace {

/// Divides a pattern digit by digit. A digit whose step is a multiple of the divisor belongs to the
/// quotient; one that counts up to multiples of it is split in two; all others belong to the
/// remainder. `low`: the extent of the remainder.
bool divide_pattern(const Pattern& a, std::int64_t divisor, bool quotient, int width, Pattern& out,
                    Extent& low) {
  const auto add = [&](std::int64_t lanes, std::int64_t of_quotient, std::int64_t of_remainder) {
    return out.add_digit(lanes, quotient ? of_quotient : of_remainder);
  };
  out.folds = 0;
  for (int d = 0; d <= a.folds; ++d) {
    const auto [step, count, lanes] = a.digit_of(d, width);
    if (step % divisor == 0) {
      if (!add(lanes, step / divisor, 0)) return false;
      continue;
    }
    const std::int64_t steps = step > 0 && divisor % step == 0 ? divisor / step : count;
    const bool cut = steps < count && count % steps == 0;
    const std::int64_t last = step * ((cut ? steps : count) - 1);
    (last < 0 ? low.least : low.most) += last;
    if (!add(lanes, 0, step) || (cut && !add(lanes * steps, 1, 0))) return false;
  }
  return true;
}

} // namespace

bool divide_rows(const Rows& a, std::int64_t divisor, bool quotient, const Shape& shape,
                 Rows& out) {
  Extent low;
  if (!divide_pattern(a, divisor, quotient, shape.width, out, low)) return false;
  // No lane may pass a multiple of the divisor by what its remainder's digits add.
  const auto fits = [&](std::int64_t base) {
    const std::int64_t rest = base % divisor;
    return rest + low.least >= 0 && rest + low.most < divisor;
  };
  if (a.even && a.warp_step % divisor == 0) {
    out.even = true;
    out.first = quotient ? a.first / divisor : a.first % divisor;
    out.warp_step = quotient ? a.warp_step / divisor : 0;
    return fits(a.first);
  }
  for (int k = 0; k < shape.warps; ++k)
    if (!fits(a.base(k))) return false;
  combine_bases(a, a, shape, false, out,
                [=](std::int64_t x, std::int64_t) { return quotient ? x / divisor : x % divisor; });
  return true;
}

} // namespace memlane::fast
