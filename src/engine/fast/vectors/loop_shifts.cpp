// Shifts of results from shifts of operands, and for how many rounds they hold.
#include "fast/launch_run.hpp"
#include "loop_extrapolator.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace memlane::fast {

using ir::ComparisonOpcode;
using ir::Instruction;
using ir::Opcode;
using ir::Scalar;

/// Whether what a check asks for holds in this round and the later ones.
bool LoopExtrapolator::keeps_holding(const Instruction& in, const Mask& mask) {
  switch (static_cast<ir::CheckOpcode>(in.op)) {
  case ir::CheckOpcode::bound:
    return keeps_in_order(-1, in.a, false, mask) && keeps_in_order(in.a, in.b, true, mask);
  case ir::CheckOpcode::slice:
    return keeps_in_order(-1, in.a, false, mask) && keeps_in_order(in.a, in.b, false, mask) &&
           keeps_in_order(in.b, in.c, false, mask);
  case ir::CheckOpcode::assert_: return still(in.a);
  case ir::CheckOpcode::trap: break; // ends the run
  }
  return true;
}

/// The shift of an instruction's result. Without a rule: where nothing that it depends on grows, no
/// growth.
Shift LoopExtrapolator::result(const Instruction& in, const Mask& mask) {
  const bool all_still = still(in.a) && still(in.b) && still(in.c);
  if (in.op == Opcode::local_load) return {};
  if (all_still) return 0;
  if (in.op == Opcode::move) return shift(in.a);
  if (in.op == Opcode::select) return chosen(in, mask);
  if (in.op == Opcode::min || in.op == Opcode::max) return chosen(in, mask);
  if (!ir::is_integer(in.type)) return {};
  if (in.op == Opcode::convert)
    return ir::is_integer(static_cast<Scalar>(in.immediate)) ? shift(in.a) : std::nullopt;
  if (ir::is_relation(in.op))
    return stays(static_cast<ComparisonOpcode>(in.op), in.a, in.b, mask) ? Shift{0} : std::nullopt;
  if (ir::group_of(in.op) != ir::OpcodeGroup::arithmetic) return {};
  using ir::ArithmeticOpcode;
  switch (static_cast<ArithmeticOpcode>(in.op)) {
  case ArithmeticOpcode::add:
    if (shift(in.a) && shift(in.b)) return *shift(in.a) + *shift(in.b);
    return {};
  case ArithmeticOpcode::sub:
    if (shift(in.a) && shift(in.b)) return *shift(in.a) - *shift(in.b);
    return {};
  case ArithmeticOpcode::neg:
    if (shift(in.a)) return -*shift(in.a);
    return {};
  case ArithmeticOpcode::mul:
  case ArithmeticOpcode::shl: return product(in);
  case ArithmeticOpcode::div:
  case ArithmeticOpcode::rem:
  case ArithmeticOpcode::mod:
  case ArithmeticOpcode::shr:
  case ArithmeticOpcode::bit_and: return quotient(in, mask);
  case ArithmeticOpcode::bit_xor: return turned(in, mask);
  // clang-format off
  case ArithmeticOpcode::min: case ArithmeticOpcode::max: case ArithmeticOpcode::bit_not:
  case ArithmeticOpcode::bit_or: case ArithmeticOpcode::pow:
  case ArithmeticOpcode::abs: case ArithmeticOpcode::log2: case ArithmeticOpcode::ceil_div:
  case ArithmeticOpcode::mulmod: case ArithmeticOpcode::invmod: case ArithmeticOpcode::iterations:
  case ArithmeticOpcode::sqrt: case ArithmeticOpcode::sin: case ArithmeticOpcode::cos:
  case ArithmeticOpcode::exp:
    return {}; // clang-format on
  }
  return {};
}

/// The product of a factor that is one number in all lanes and rounds, and one that grows.
Shift LoopExtrapolator::product(const Instruction& in) {
  const auto scaled = [&](ir::Register fixed, ir::Register growing) -> Shift {
    const Register& factor = values_[fixed];
    if (!still(fixed) || factor.form != Form::uniform || !shift(growing)) return {};
    std::int64_t times = factor.value.integer();
    if (in.op == Opcode::shl) {
      if (times < 0 || times > 60) return {};
      times = std::int64_t{1} << times;
    }
    std::int64_t by = 0;
    if (__builtin_mul_overflow(times, *shift(growing), &by)) return {};
    return by;
  };
  if (const Shift by = scaled(in.b, in.a); by || in.op == Opcode::shl) return by;
  return scaled(in.a, in.b);
}

/// Whether `by` is a multiple; else notes the window in which the growth would be one.
bool LoopExtrapolator::grows_by_multiples(std::int64_t by, std::int64_t of) {
  if (by % of == 0) return true;
  const std::int64_t windows = of / std::gcd(by, of);
  if (windows <= longest_window() / loop_.window)
    wanted_ = std::min(std::lcm(wanted_, loop_.window * windows), longest_window());
  return false;
}

/// Whether no lane's value comes to a multiple of a positive number for many rounds; limits them.
/// Not where the loop has been executed for so long that a whole window is worth its watching. The
/// values must be >= 0.
bool LoopExtrapolator::stays_between(std::int64_t of, ir::Register r, const Mask& mask) {
  constexpr std::int64_t many = 64;
  const std::int64_t by = *shift(r);
  if (by == 0 || of / std::abs(by) < many) return false;
  const std::int64_t windows = of / std::gcd(by, of);
  if (windows <= longest_window() / loop_.window && windows <= loop_.rounds) return false;
  const auto [least, most] = range(r, mask);
  if (least / of != most / of) return false;
  const std::int64_t rounds = by > 0 ? (of - 1 - most % of) / by : least % of / -by;
  if (rounds > 0) limit(rounds);
  return rounds > 0;
}

/// Bits turned in all lanes and rounds: those below and above them grow as before.
Shift LoopExtrapolator::turned(const Instruction& in, const Mask& mask) {
  const bool right = still(in.b);
  const ir::Register fixed = right ? in.b : in.a, growing = right ? in.a : in.b;
  const Register& bits = values_[fixed];
  if (!still(fixed) || bits.form != Form::uniform || !shift(growing)) return {};
  const std::int64_t turns = bits.value.integer(), by = *shift(growing);
  if (turns < 0 || turns >= most_long || range(growing, mask).least < 0) return {};
  const auto above =
      static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(turns) + 1));
  if (by % above == 0) return limited(growing, by, mask);
  // x xor (2^k - 1) falls as x rises, until bit k does; x xor 2^k rises with it, until bit k does.
  if (turns == above - 1 && stays_between(above, growing, mask)) return -by;
  if (2 * turns == above && stays_between(turns, growing, mask)) return by;
  if (grows_by_multiples(by, above)) return limited(growing, by, mask);
  return {};
}

/// What falls may fall to 0.
Shift LoopExtrapolator::limited(ir::Register r, std::int64_t by, const Mask& mask) {
  if (by < 0) limit(range(r, mask).least / -by);
  return by;
}

/// Dividends must be >= 0. They grow by multiples of the divisor, or stay between two of its
/// multiples.
Shift LoopExtrapolator::quotient(const Instruction& in, const Mask& mask) {
  const Register& right = values_[in.b];
  if (!still(in.b) || right.form != Form::uniform || !shift(in.a)) return {};
  std::int64_t divisor = right.value.integer();
  if (in.op == Opcode::shr) {
    if (divisor < 0 || divisor > 60) return {};
    divisor = std::int64_t{1} << divisor;
  }
  if (in.op == Opcode::bit_and) {
    if (divisor < 0 || divisor >= most_long || (divisor & (divisor + 1)) != 0) return {};
    divisor += 1;
  }
  const std::int64_t by = *shift(in.a);
  const std::int64_t least = range(in.a, mask).least;
  if (divisor <= 0 || least < 0) return {};
  const bool whole = in.op == Opcode::div || in.op == Opcode::shr;
  if (by % divisor != 0 && stays_between(divisor, in.a, mask)) return whole ? 0 : by;
  if (!grows_by_multiples(by, divisor)) return {};
  return whole ? *limited(in.a, by, mask) / divisor : (limited(in.a, by, mask), 0);
}

/// Min, max and select: all lanes must choose the same operand, or both must grow equally.
Shift LoopExtrapolator::chosen(const Instruction& in, const Mask& mask) {
  const bool is_select = in.op == Opcode::select;
  const ir::Register x = is_select ? in.b : in.a, y = is_select ? in.c : in.b;
  if (is_select) {
    if (!still(in.a)) return {};
    if (shift(x) && shift(x) == shift(y)) return shift(x);
    const Register& condition = values_[in.a];
    if (condition.form != Form::uniform) return {};
    return shift(condition.value.truth() ? x : y);
  }
  if (!ir::is_integer(in.type) || !shift(x) || !shift(y)) return {};
  if (shift(x) == shift(y)) return shift(x);
  // The operand that all lanes choose for more rounds.
  const std::int64_t before = most_;
  std::int64_t longest = -1;
  Shift by;
  for (const auto& [smaller, greater] : {std::pair{x, y}, {y, x}}) {
    most_ = before;
    if (!keeps_in_order(smaller, greater, false, mask) || most_ <= longest) continue;
    longest = most_;
    by = shift(in.op == Opcode::min ? smaller : greater);
  }
  most_ = by ? longest : before;
  return by;
}

/// The least and the greatest of a - b over all lanes, from the corners of rows; nothing: look at
/// each lane.
std::optional<Extent> LoopExtrapolator::range_of_rows(ir::Register a, ir::Register b,
                                                      const Mask& mask) {
  const Register &left = values_[a], &right = values_[b];
  if (left.form == Form::vector || right.form == Form::vector) return {};
  if (left.form == Form::uniform && right.form == Form::uniform) {
    const std::int64_t difference = left.value.integer() - right.value.integer();
    return Extent{difference, difference};
  }
  const Rows &x = as_rows(left, uniform_rows_[0]), &y = as_rows(right, uniform_rows_[1]);
  const Shape part = values_.sets().part(mask);
  if (!x.even || !y.even || !mask.full || !add_rows(x, y, -1, part, difference_)) return {};
  return extent_of(difference_, part);
}

Extent LoopExtrapolator::range(ir::Register r, const Mask& mask) {
  if (const auto of_rows = range_of_rows(r, -1, mask)) return *of_rows;
  const auto* words = values_.words<std::int64_t>(values_[r], 0);
  Extent range{INT64_MAX, INT64_MIN};
  each_active(mask, [&](int i) {
    range.least = std::min(range.least, words[i]);
    range.most = std::max(range.most, words[i]);
  });
  return range;
}

/// f(a - b) for all active lanes; if all are negative or all are not, for the least and the
/// greatest only.
template <class F>
void LoopExtrapolator::each_difference(ir::Register a, ir::Register b, const Mask& mask, F f) {
  const auto range = range_of_rows(a, b, mask);
  if (range && (range->least >= 0 || range->most < 0)) {
    f(range->least);
    return f(range->most);
  }
  const auto* x = values_.words<std::int64_t>(values_[a], 0);
  const auto* y = values_.words<std::int64_t>(values_[b], 1);
  each_active(mask, [&](int i) { f(x[i] - y[i]); });
}

bool LoopExtrapolator::stays(ComparisonOpcode comparison, ir::Register a, ir::Register b,
                             const Mask& mask) {
  if (!shift(a) || !shift(b)) return false;
  const std::int64_t by = *shift(a) - *shift(b);
  if (by == 0) return true;
  // After m rounds the difference of a lane is d + m * by: its sign must not change.
  switch (comparison) {
  case ComparisonOpcode::eq:
  case ComparisonOpcode::ne:
    each_difference(a, b, mask, [&](std::int64_t d) {
      if (d == 0) return limit(0);
      if ((d > 0) != (by > 0)) limit((std::abs(d) - 1) / std::abs(by));
    });
    return true;
  case ComparisonOpcode::le: // a <= b: not b < a
    each_difference(b, a, mask, [&](std::int64_t d) { limit_to_side(d, -by); });
    return true;
  case ComparisonOpcode::lt:
    each_difference(a, b, mask, [&](std::int64_t d) { limit_to_side(d, by); });
    return true;
  case ComparisonOpcode::is_pow2:
  case ComparisonOpcode::logical_not: break;
  }
  return false;
}

/// A difference d that grows by `by` keeps its sign.
void LoopExtrapolator::limit_to_side(std::int64_t d, std::int64_t by) {
  if (d < 0 && by > 0) limit((-1 - d) / by);
  if (d >= 0 && by < 0) limit(d / -by);
}

bool LoopExtrapolator::keeps_in_order(ir::Register a, ir::Register b, bool strictly,
                                      const Mask& mask) {
  if (!shift(a) || !shift(b)) return false;
  bool holds = true;
  if (strictly) {
    each_difference(a, b, mask, [&](std::int64_t d) { holds &= d < 0; });
  } else {
    each_difference(b, a, mask, [&](std::int64_t d) { holds &= d >= 0; });
  }
  return holds && stays(strictly ? ComparisonOpcode::lt : ComparisonOpcode::le, a, b, mask);
}

/// Addresses that all grow equally: the stages stay the same in banks, and in address groups if
/// they grow by whole groups, or if no two lanes share one.
bool LoopExtrapolator::same_stages(const Instruction& in) {
  if (!shift(in.a)) return false;
  const std::int64_t by = *shift(in.a);
  if (by == 0) return true;
  const ArrayView& array = launch_.arrays[static_cast<std::size_t>(in.immediate)];
  const Placement& placement = *array.placement;
  std::int64_t words = by;
  if (placement.kind == LayoutKind::padded) {
    if (!grows_by_multiples(by, placement.row_length)) return false;
    words = by / placement.row_length * placement.pitch;
  } else if (placement.kind == LayoutKind::swizzle) {
    // No bit that a swizzle reads or changes lies above this period, so whole periods add to words.
    if (!grows_by_multiples(by, placement.swizzle.tile() << placement.swizzle.shift)) return false;
  } else if (placement.kind == LayoutKind::bits) {
    if (!grows_by_multiples(by, placement.bits.tile())) return false;
  } else if (placement.kind == LayoutKind::strides) {
    const std::int64_t period = placement.strides.period();
    if (!grows_by_multiples(by, period)) return false;
    words = by / period * placement.strides.digits.back().stride;
  } else if (placement.kind != LayoutKind::rows) {
    return false;
  }
  const Banks& banks = launch_.banks(array.unit);
  if (banks.kind() == UnitKind::discrete && !launch_.counts_groups) return true;
  // Lanes at one word are in one group, lanes a group or more apart in one each, wherever they are.
  const Register& elements = values_[in.a];
  if (elements.form == Form::uniform) return true;
  if (elements.form == Form::rows && placement.kind == LayoutKind::rows) {
    const std::int64_t step = elements.rows.lane_step;
    if (step == 0 || step >= banks.width() || -step >= banks.width()) return true;
  }
  return grows_by_multiples(words, banks.width());
}

void LoopExtrapolator::fits(const Instruction& in, const Mask& mask) {
  if (ir::operands(in.op).find('d') == std::string_view::npos || in.d < 0) return;
  if (!watching_ || !shift(in.d) || *shift(in.d) == 0) return;
  const std::int64_t by = *shift(in.d);
  const bool narrow = result_type(in) == Scalar::int32;
  const std::int64_t highest = narrow ? INT32_MAX : most_long;
  const auto [least, most] = range(in.d, mask);
  if (least < -highest || most > highest) return forget();
  limit(by > 0 ? (highest - most) / by : (least + highest) / -by);
}

} // namespace memlane::fast
