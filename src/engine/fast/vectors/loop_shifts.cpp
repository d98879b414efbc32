// How shifts go through instructions: the cases in which a result grows by a constant from round to
// round, and for how many rounds that, and what is decided by it, stays so.
#include "fast/launch_run.hpp"
#include "loop_extrapolator.hpp"

#include <algorithm>
#include <numeric>

namespace memlane::fast {

using ir::Instruction;
using ir::Opcode;
using ir::Scalar;

void LoopExtrapolator::follow(const Instruction& in, const Mask& mask) {
  switch (in.op) {
  case Opcode::if_:
  case Opcode::while_:
  case Opcode::assert_:
    if (!still(in.a)) forget();
    return;
  case Opcode::load:
  case Opcode::store:
    if (!same_stages(in)) forget();
    if (in.op == Opcode::load) shift(in.d) = 0; // it is no address, and decides nothing
    return;
  case Opcode::bound:
    if (!keeps_in_order(-1, in.a, false, mask) || !keeps_in_order(in.a, in.b, true, mask)) forget();
    return;
  case Opcode::slice:
    if (!keeps_in_order(-1, in.a, false, mask) || !keeps_in_order(in.a, in.b, false, mask) ||
        !keeps_in_order(in.b, in.c, false, mask))
      forget();
    return;
  case Opcode::defer:
  case Opcode::local_new:
  case Opcode::local_store: return forget();
  default: break;
  }
  if (ir::operands(in.op).find('d') == std::string_view::npos || in.d < 0) return;
  const Shift by = result(in, mask);
  // Where some lanes keep what they had, they keep its shift, too.
  const std::size_t site = static_cast<std::size_t>(&in - launch_.kernel.code.data());
  const bool all = mask.active == active_ || launch_.facts.writes_all[site];
  shift(in.d) = all || shift(in.d) == by ? by : std::nullopt;
}

Shift LoopExtrapolator::result(const Instruction& in, const Mask& mask) {
  const bool integers = ir::is_integer(in.type);
  const bool all_still = still(in.a) && still(in.b) && still(in.c);
  switch (in.op) {
  case Opcode::constant:
  case Opcode::special: return 0;
  case Opcode::local_load: return {};
  case Opcode::move: return shift(in.a);
  case Opcode::convert:
    if (integers && ir::is_integer(static_cast<Scalar>(in.immediate))) return shift(in.a);
    break;
  case Opcode::add:
    if (integers && shift(in.a) && shift(in.b)) return *shift(in.a) + *shift(in.b);
    break;
  case Opcode::sub:
    if (integers && shift(in.a) && shift(in.b)) return *shift(in.a) - *shift(in.b);
    break;
  case Opcode::neg:
    if (integers && shift(in.a)) return -*shift(in.a);
    break;
  case Opcode::mul:
  case Opcode::shl:
    if (integers && !all_still) return product(in);
    break;
  case Opcode::div:
  case Opcode::rem:
  case Opcode::mod:
  case Opcode::shr:
  case Opcode::bit_and:
    if (integers && !all_still) return quotient(in, mask);
    break;
  case Opcode::min:
  case Opcode::max:
  case Opcode::select:
    if (!all_still) return chosen(in, mask);
    break;
  case Opcode::eq:
  case Opcode::ne:
  case Opcode::lt:
  case Opcode::le:
    if (integers && !all_still) return compared(in, mask);
    break;
  default: break;
  }
  return all_still ? Shift{0} : std::nullopt;
}

/// Of a factor that is one number in all lanes and rounds, and one that grows.
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

/// Whether `by` is a multiple, or, so that it will be, how many rounds would have to be watched.
bool LoopExtrapolator::grows_by_multiples(std::int64_t by, std::int64_t of) {
  if (by % of == 0) return true;
  const std::int64_t windows = of / std::gcd(by, of);
  if (windows <= longest_window / loop_.window)
    wanted_ = std::min(std::lcm(wanted_, loop_.window * windows), longest_window);
  return false;
}

/// Of dividends that are not negative and grow by multiples of one divisor.
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
  if (divisor <= 0 || least < 0 || !grows_by_multiples(by, divisor)) return {};
  if (by < 0) limit(least / -by);
  const bool whole = in.op == Opcode::div || in.op == Opcode::shr;
  return whole ? by / divisor : 0;
}

/// Of min, max and select: all lanes must choose alike, or between what grows alike.
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
  // Which of the two all lanes choose for longer.
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

Shift LoopExtrapolator::compared(const Instruction& in, const Mask& mask) {
  if (!stays(in.op, in.a, in.b, mask)) return {};
  return 0;
}

/// The least and the greatest of a - b in all lanes, from the corners of rows; nothing: lane by
/// lane then.
std::optional<Extent> LoopExtrapolator::range_of_rows(ir::Register a, ir::Register b,
                                                      const Mask& mask) {
  const Register &left = values_[a], &right = values_[b];
  if (left.form == Form::vector || right.form == Form::vector) return {};
  Rows of_left, of_right;
  const Rows &x = as_rows(left, of_left), &y = as_rows(right, of_right);
  const bool one = left.form == Form::uniform && right.form == Form::uniform;
  if (one) return Extent{x.first - y.first, x.first - y.first};
  const Shape part = values_.sets().part(mask);
  Rows difference;
  if (!x.even || !y.even || !mask.full || !add_rows(x, y, -1, part, difference)) return {};
  return extent_of(difference, part);
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

/// f(a - b) for all active lanes; where all are on one side of the border, below 0 or not, for the
/// least and the greatest only, between which nothing else decides.
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

bool LoopExtrapolator::stays(Opcode comparison, ir::Register a, ir::Register b, const Mask& mask) {
  if (!shift(a) || !shift(b)) return false;
  const std::int64_t by = *shift(a) - *shift(b);
  if (by == 0) return true;
  // The difference of a lane goes from d to d + m by: it must stay on its side of the border.
  switch (comparison) {
  case Opcode::eq:
  case Opcode::ne:
    each_difference(a, b, mask, [&](std::int64_t d) {
      if (d == 0) return limit(0);
      if ((d > 0) != (by > 0)) limit((std::abs(d) - 1) / std::abs(by));
    });
    return true;
  case Opcode::le: // a <= b: not b < a
    each_difference(b, a, mask, [&](std::int64_t d) { limit_to_side(d, -by); });
    return true;
  default: each_difference(a, b, mask, [&](std::int64_t d) { limit_to_side(d, by); }); return true;
  }
}

/// A difference d that grows by `by` stays below 0, or not below.
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
  return holds && stays(strictly ? Opcode::lt : Opcode::le, a, b, mask);
}

/// Addresses that all grow alike: banks turn around, groups move if whole ones are passed, or if
/// lanes share none.
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
  } else if (placement.kind != LayoutKind::rows) {
    return false;
  }
  const Banks& banks = launch_.banks(array.unit);
  if (banks.kind() == UnitKind::discrete && !launch_.fast.address_groups) return true;
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
