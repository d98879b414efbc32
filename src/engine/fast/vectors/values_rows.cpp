// Arithmetic on rows: a few operations for all threads, or one for each warp. What does not stay in
// rows, or might overflow, is left to the loops over vectors.
#include "values.hpp"

#include <cstdlib>

namespace memlane::fast {

using ir::ArithmeticOpcode;
using ir::Instruction;
using ir::Opcode;
using ir::Scalar;

namespace {

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
  const Rows &a = as_rows(ra, uniform_rows_[0]), &b = as_rows(rb, uniform_rows_[1]);
  if (!rows_fit(a, shape_, in.type) || !rows_fit(b, shape_, in.type)) return false;
  if (ir::is_relation(in.op)) return compare_rows(in, a, b);
  if (ir::group_of(in.op) != ir::OpcodeGroup::arithmetic) return false;
  Rows& out = out_.rows;
  switch (static_cast<ArithmeticOpcode>(in.op)) {
  case ArithmeticOpcode::add:
    if (!add_rows(a, b, 1, shape_, out)) return false;
    break;
  case ArithmeticOpcode::sub:
    if (!add_rows(a, b, -1, shape_, out)) return false;
    break;
  case ArithmeticOpcode::neg: multiply_rows(a, -1, shape_, out); break;
  case ArithmeticOpcode::mul:
  case ArithmeticOpcode::shl:
    if (!scale(in, a, b)) return false;
    break;
  case ArithmeticOpcode::div:
  case ArithmeticOpcode::rem:
  case ArithmeticOpcode::mod:
  case ArithmeticOpcode::ceil_div:
  case ArithmeticOpcode::shr:
  case ArithmeticOpcode::bit_and: return divide(in);
  case ArithmeticOpcode::min:
  case ArithmeticOpcode::max: {
    const auto [a_least, a_most] = extent_of(a, shape_);
    const auto [b_least, b_most] = extent_of(b, shape_);
    if (a_most > b_least && b_most > a_least) return false;
    const bool a_is_less = a_most <= b_least;
    copy_register(a_is_less == (in.op == Opcode::min) ? ra : rb, shape_, out_);
    return true;
  }
  // clang-format off
  case ArithmeticOpcode::bit_not: case ArithmeticOpcode::bit_or: case ArithmeticOpcode::bit_xor:
  case ArithmeticOpcode::pow: case ArithmeticOpcode::abs: case ArithmeticOpcode::log2:
  case ArithmeticOpcode::mulmod: case ArithmeticOpcode::invmod: case ArithmeticOpcode::iterations:
  case ArithmeticOpcode::sqrt: case ArithmeticOpcode::sin: case ArithmeticOpcode::cos:
  case ArithmeticOpcode::exp:
    return false; // clang-format on
  }
  set_form_of_rows(out_);
  return rows_fit(out, shape_, in.type);
}

// The product of rows and one number.
bool Values::scale(const Instruction& in, const Rows& a, const Rows& b) {
  const bool swap = (*this)[in.a].form == Form::uniform;
  if (!swap && (*this)[in.b].form != Form::uniform) return false;
  if (in.op == Opcode::shl && (swap || b.first < 0 || b.first > 30)) return false;
  const Rows& rows = swap ? b : a;
  const std::int64_t factor =
      in.op == Opcode::shl ? std::int64_t{1} << b.first : (swap ? a : b).first;
  const auto [least, most] = extent_of(rows, shape_);
  if (!product_fits(least, factor) || !product_fits(most, factor) ||
      !product_fits(rows.lane_step, factor) || (rows.even && !product_fits(rows.warp_step, factor)))
    return false;
  multiply_rows(rows, factor, shape_, out_.rows);
  return true;
}

// The difference of the two sides is rows: where it is on one side of 0 in all lanes, the answer is
// the same for all.
bool Values::compare_rows(const Instruction& in, const Rows& a, const Rows& b) {
  Rows& d = out_.rows;
  if (!add_rows(a, b, -1, shape_, d)) return false;
  const auto [least, most] = extent_of(d, shape_);
  const auto all = [&](bool holds) {
    make_uniform(out_, ir::Value::of(holds));
    return true;
  };
  const auto lanes = [&](auto holds) {
    auto* to = make_vector<std::uint8_t>(out_, shape_);
    const int row = d.row(shape_.width);
    const std::int64_t step = d.lane_step;
    for (int k = 0; k < shape_.warps; ++k)
      each_row(d, shape_.width, [&](int lane, std::int64_t offset) {
        const std::int64_t first = d.base(k) + offset;
        std::uint8_t* const lanes_of_row = to + k * shape_.width + lane;
        for (int j = 0; j < row; ++j) lanes_of_row[j] = holds(first + step * j) ? 1 : 0;
      });
    return true;
  };
  switch (static_cast<ir::ComparisonOpcode>(in.op)) {
  case ir::ComparisonOpcode::lt:
    if (most < 0 || least >= 0) return all(most < 0);
    return lanes([](std::int64_t x) { return x < 0; });
  case ir::ComparisonOpcode::le:
    if (most <= 0 || least > 0) return all(most <= 0);
    return lanes([](std::int64_t x) { return x <= 0; });
  case ir::ComparisonOpcode::eq:
  case ir::ComparisonOpcode::ne:
    if (least > 0 || most < 0) return all(in.op == Opcode::ne);
    if (least == 0 && most == 0) return all(in.op == Opcode::eq);
    if (in.op == Opcode::eq) return lanes([](std::int64_t x) { return x == 0; });
    return lanes([](std::int64_t x) { return x != 0; });
  case ir::ComparisonOpcode::is_pow2:
  case ir::ComparisonOpcode::logical_not: break;
  }
  return false;
}

// Numbers that are not negative by a positive divisor.
bool Values::divide(const Instruction& in) {
  const Register& divisor = (*this)[in.b];
  if (divisor.form != Form::uniform || !has_rows((*this)[in.a])) return false;
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
  const auto [least, most] = extent_of(a, shape_);
  if (least < 0) return false;
  Rows& out = out_.rows;
  if (a.even && least / d == most / d) { // all lie between two multiples of d
    if (quotient) {
      make_uniform(out_, ir::Value::of(least / d));
      return true;
    }
    out.even = true;
    out.first = a.first % d;
    out.warp_step = a.warp_step;
    out.set(a);
  } else if (!divide_rows(a, d, quotient, shape_, out)) {
    return false;
  }
  set_form_of_rows(out_);
  return true;
}

} // namespace memlane::fast
