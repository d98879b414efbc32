// Arithmetic on rows: a few operations for all threads, or one for each warp. What does not stay in
// rows, or might overflow, is left to the loops over vectors.
#include "values.hpp"

#include <algorithm>
#include <numeric>

namespace memlane::fast {

using ir::Instruction;
using ir::Opcode;
using ir::Scalar;

namespace {

/// base(k) = f(base of a, base of b) for each warp; even where both are and `linear` says that
/// steps go through f, too.
template <class F>
void combine(const Rows& a, const Rows& b, const Shape& shape, bool linear, Rows& out, F f) {
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

/// The least and the greatest value of any lane.
std::pair<std::int64_t, std::int64_t> range(const Rows& rows, const Shape& shape) {
  std::int64_t least = rows.base(0), most = least;
  if (rows.even) {
    const std::int64_t last = rows.base(shape.warps - 1);
    least = std::min(least, last);
    most = std::max(most, last);
  } else {
    const auto [low, high] =
        std::minmax_element(rows.bases.begin(), rows.bases.begin() + shape.warps);
    least = *low;
    most = *high;
  }
  const std::int64_t across = rows.lane_step * (shape.width - 1);
  return {least + std::min<std::int64_t>(0, across), most + std::max<std::int64_t>(0, across)};
}

/// Whether a * b stays far from the end of 64 bits.
bool product_fits(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return !__builtin_mul_overflow(a, b, &product) && std::abs(product) <= std::int64_t{1} << 61;
}

} // namespace

bool Values::compute_rows(const Instruction& in) {
  if (in.type != Scalar::int32 && in.type != Scalar::int64) return false;
  const Register &ra = (*this)[in.a], &rb = (*this)[in.b];
  if (in.op == Opcode::convert) {
    if (in.immediate != static_cast<std::int64_t>(Scalar::int32) &&
        in.immediate != static_cast<std::int64_t>(Scalar::int64))
      return false;
    if (!rows_fit(ra.rows, shape_, in.type)) return false;
    copy_register(ra, shape_, out_);
    return true;
  }
  if (ra.form == Form::vector || rb.form == Form::vector) return false;
  Rows of_a, of_b;
  const Rows &a = as_rows(ra, of_a), &b = as_rows(rb, of_b);
  if (!rows_fit(a, shape_, in.type) || !rows_fit(b, shape_, in.type)) return false;
  Rows& out = out_.rows;
  switch (in.op) {
  case Opcode::add:
    combine(a, b, shape_, true, out, [](std::int64_t x, std::int64_t y) { return x + y; });
    out.lane_step = a.lane_step + b.lane_step;
    break;
  case Opcode::sub:
    combine(a, b, shape_, true, out, [](std::int64_t x, std::int64_t y) { return x - y; });
    out.lane_step = a.lane_step - b.lane_step;
    break;
  case Opcode::neg:
    combine(a, a, shape_, true, out, [](std::int64_t x, std::int64_t) { return -x; });
    out.lane_step = -a.lane_step;
    break;
  case Opcode::mul:
  case Opcode::shl: {
    const bool swap = ra.form == Form::uniform;
    if (!swap && rb.form != Form::uniform) return false;
    if (in.op == Opcode::shl && (swap || b.first < 0 || b.first > 30)) return false;
    const Rows& rows = swap ? b : a;
    const std::int64_t factor =
        in.op == Opcode::shl ? std::int64_t{1} << b.first : (swap ? a : b).first;
    const auto [least, most] = range(rows, shape_);
    if (!product_fits(least, factor) || !product_fits(most, factor) ||
        !product_fits(rows.lane_step, factor) ||
        (rows.even && !product_fits(rows.warp_step, factor)))
      return false;
    combine(rows, rows, shape_, true, out,
            [&](std::int64_t x, std::int64_t) { return x * factor; });
    out.lane_step = rows.lane_step * factor;
    break;
  }
  case Opcode::eq:
  case Opcode::ne:
  case Opcode::lt:
  case Opcode::le: return compare_rows(in, a, b);
  case Opcode::div:
  case Opcode::rem:
  case Opcode::mod:
  case Opcode::ceil_div:
  case Opcode::shr:
  case Opcode::bit_and: return divide_rows(in);
  case Opcode::min:
  case Opcode::max: {
    const auto [a_least, a_most] = range(a, shape_);
    const auto [b_least, b_most] = range(b, shape_);
    if (a_most > b_least && b_most > a_least) return false;
    const bool a_is_less = a_most <= b_least;
    copy_register(a_is_less == (in.op == Opcode::min) ? ra : rb, shape_, out_);
    return true;
  }
  default: return false;
  }
  out_.form = Form::rows;
  return rows_fit(out, shape_, in.type);
}

// The difference of the two sides is rows: where it is on one side of 0 in all lanes, the answer is
// the same for all.
bool Values::compare_rows(const Instruction& in, const Rows& a, const Rows& b) {
  Rows& d = out_.rows;
  combine(a, b, shape_, true, d, [](std::int64_t x, std::int64_t y) { return x - y; });
  d.lane_step = a.lane_step - b.lane_step;
  const auto [least, most] = range(d, shape_);
  const auto all = [&](bool holds) {
    make_uniform(out_, ir::Value::of(holds));
    return true;
  };
  const auto lanes = [&](auto holds) {
    auto* to = make_vector<std::uint8_t>(out_, shape_);
    for (int k = 0; k < shape_.warps; ++k)
      for (int j = 0; j < shape_.width; ++j) *to++ = holds(d.at(k, j)) ? 1 : 0;
    return true;
  };
  switch (in.op) {
  case Opcode::lt:
    if (most < 0 || least >= 0) return all(most < 0);
    return lanes([](std::int64_t x) { return x < 0; });
  case Opcode::le:
    if (most <= 0 || least > 0) return all(most <= 0);
    return lanes([](std::int64_t x) { return x <= 0; });
  default:
    if (least > 0 || most < 0) return all(in.op == Opcode::ne);
    if (least == 0 && most == 0) return all(in.op == Opcode::eq);
    if (in.op == Opcode::eq) return lanes([](std::int64_t x) { return x == 0; });
    return lanes([](std::int64_t x) { return x != 0; });
  }
}

// Numbers that are not negative by a positive divisor: quotient and remainder stay in rows where no
// warp crosses a multiple of the divisor, or where the lanes' step is one.
bool Values::divide_rows(const Instruction& in) {
  const Register& divisor = (*this)[in.b];
  if (divisor.form != Form::uniform || (*this)[in.a].form != Form::rows) return false;
  const Rows& a = (*this)[in.a].rows;
  std::int64_t d = divisor.value.integer();
  bool quotient = in.op == Opcode::div;
  if (in.op == Opcode::shr) {
    if (d < 0 || d > 30) return false;
    d = std::int64_t{1} << d;
    quotient = true;
  } else if (in.op == Opcode::bit_and) {
    if (d < 0 || (d & (d + 1)) != 0) return false;
    d += 1;
  } else if (in.op == Opcode::ceil_div || d < 1) {
    return false;
  }
  const auto [least, most] = range(a, shape_);
  if (least < 0) return false;
  Rows& out = out_.rows;
  out_.form = Form::rows;
  if (a.even && least / d == most / d) { // between two multiples of d
    out.even = true;
    out.first = quotient ? least / d : a.first % d;
    out.warp_step = quotient ? 0 : a.warp_step;
    out.lane_step = quotient ? 0 : a.lane_step;
    return true;
  }
  if (a.lane_step < 0) return false;
  const std::int64_t across = a.lane_step * (shape_.width - 1);
  const bool whole_steps = a.lane_step % d == 0;
  if (!whole_steps) {
    bool crosses = false;
    for (int k = 0; k < shape_.warps; ++k) crosses |= a.base(k) % d + across >= d;
    if (crosses) return false;
  }
  const bool linear = a.even && (a.warp_step % d == 0);
  if (linear) {
    out.even = true;
    out.first = quotient ? a.first / d : a.first % d;
    out.warp_step = quotient ? a.warp_step / d : 0;
  } else {
    combine(a, a, shape_, false, out,
            [&](std::int64_t x, std::int64_t) { return quotient ? x / d : x % d; });
  }
  if (whole_steps) {
    out.lane_step = quotient ? a.lane_step / d : 0;
  } else {
    out.lane_step = quotient ? 0 : a.lane_step;
  }
  return true;
}

} // namespace memlane::fast
