#include "leap.hpp"

#include <algorithm>
#include <cstring>

namespace memlane::fast {

using ir::Instruction;
using ir::Opcode;
using ir::Scalar;
using reference::saturating_multiply;

namespace {

/// Shifted integers stay below this, far from the end of their type.
constexpr std::int64_t most_long = std::int64_t{1} << 61;

/// f(lane) for the active lanes.
template <class F>
void each_active(const LaneSets& sets, const Mask& mask, int lanes, F f) {
  const std::uint8_t* active = sets.lanes(mask);
  for (int i = 0; i < lanes; ++i)
    if (active[i]) f(i);
}

} // namespace

void Leap::remember(std::size_t depth) {
  if (before_.size() <= depth) before_.resize(depth + 1);
  std::vector<Register>& registers = before_[depth];
  registers.resize(static_cast<std::size_t>(launch_.kernel.registers) + 1);
  for (ir::Register r = -1; r < launch_.kernel.registers; ++r)
    copy_register(values_[r], values_.shape(), registers[static_cast<std::size_t>(r + 1)]);
}

bool Leap::watch(std::size_t pc, std::size_t depth, const Mask& mask, std::int64_t mp,
                 std::size_t log_entries) {
  pc_ = pc;
  depth_ = depth;
  mp_ = mp;
  first_log_ = log_entries;
  active_ = mask.active;
  inner_rounds_ = 0;
  most_ = INT64_MAX;
  const std::vector<Register>& before = before_[depth];
  shifts_.assign(before.size(), std::nullopt);
  head_.resize(before.size());
  for (ir::Register r = -1; r < launch_.kernel.registers; ++r) {
    const auto at = static_cast<std::size_t>(r + 1);
    shifts_[at] = difference(before[at], values_[r], mask);
    copy_register(values_[r], values_.shape(), head_[at]);
  }
  head_shifts_ = shifts_;
  const std::vector<ir::Register>& live = launch_.facts.live_behind[pc];
  watching_ = std::all_of(live.begin(), live.end(), [&](ir::Register r) { return shift(r); });
  if (watching_) before_totals_ = totals();
  return watching_;
}

Shift Leap::difference(const Register& from, const Register& to, const Mask& mask) {
  const Shape& shape = values_.shape();
  if (from.form == Form::uniform && to.form == Form::uniform)
    return to.value.integer() - from.value.integer();
  if (from.form != Form::vector && to.form != Form::vector) {
    const Rows x = as_rows(from), y = as_rows(to);
    if (x.lane_step != y.lane_step) return {};
    const std::int64_t by = y.base(0) - x.base(0);
    for (int k = 1; k < shape.warps; ++k)
      if (y.base(k) - x.base(k) != by) return {};
    return by;
  }
  if (from.form != to.form || from.type != to.type) return {};
  return with_type(from.type, [&](auto word) -> Shift {
    using T = decltype(word);
    const T *x = from.words<T>(), *y = to.words<T>();
    Shift by;
    bool same = true;
    each_active(values_.sets(), mask, shape.lanes(), [&](int i) {
      if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, std::uint8_t>) {
        same &= std::memcmp(x + i, y + i, sizeof(T)) == 0;
        by = 0;
      } else {
        const std::int64_t step = static_cast<std::int64_t>(y[i]) - x[i];
        same &= !by || *by == step;
        by = step;
      }
    });
    return same ? by : std::nullopt;
  });
}

void Leap::follow(const Instruction& in, const Mask& mask) {
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

Shift Leap::result(const Instruction& in, const Mask& mask) {
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
Shift Leap::product(const Instruction& in) {
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

/// Of dividends that are not negative and grow by multiples of one divisor.
Shift Leap::quotient(const Instruction& in, const Mask& mask) {
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
  const std::int64_t least = range(in.a, mask).first;
  if (divisor <= 0 || by % divisor != 0 || least < 0) return {};
  if (by < 0) limit(least / -by);
  const bool whole = in.op == Opcode::div || in.op == Opcode::shr;
  return whole ? by / divisor : 0;
}

/// Of min, max and select: all lanes must choose alike, or between what grows alike.
Shift Leap::chosen(const Instruction& in, const Mask& mask) {
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

Shift Leap::compared(const Instruction& in, const Mask& mask) {
  if (!stays(in.op, in.a, in.b, mask)) return {};
  return 0;
}

std::pair<std::int64_t, std::int64_t> Leap::range(ir::Register r, const Mask& mask) {
  const auto* words = values_.words<std::int64_t>(values_[r], 0);
  std::int64_t least = INT64_MAX, most = INT64_MIN;
  each_active(values_.sets(), mask, values_.shape().lanes(), [&](int i) {
    least = std::min(least, words[i]);
    most = std::max(most, words[i]);
  });
  return {least, most};
}

bool Leap::stays(Opcode comparison, ir::Register a, ir::Register b, const Mask& mask) {
  if (!shift(a) || !shift(b)) return false;
  const std::int64_t by = *shift(a) - *shift(b);
  if (by == 0) return true;
  const auto* x = values_.words<std::int64_t>(values_[a], 0);
  const auto* y = values_.words<std::int64_t>(values_[b], 1);
  // The difference of a lane goes from d to d + m by: it must stay on its side of the border.
  each_active(values_.sets(), mask, values_.shape().lanes(), [&](int i) {
    std::int64_t d = x[i] - y[i];
    if (comparison == Opcode::eq || comparison == Opcode::ne) {
      if (d == 0) return limit(0);
      if ((d > 0) != (by > 0)) limit((std::abs(d) - 1) / std::abs(by));
      return;
    }
    if (comparison == Opcode::le) d -= 1; // a <= b: a - 1 < b
    if (d < 0 && by > 0) limit((-1 - d) / by);
    if (d >= 0 && by < 0) limit(d / -by);
  });
  return true;
}

bool Leap::keeps_in_order(ir::Register a, ir::Register b, bool strictly, const Mask& mask) {
  if (!shift(a) || !shift(b)) return false;
  const auto* x = values_.words<std::int64_t>(values_[a], 0);
  const auto* y = values_.words<std::int64_t>(values_[b], 1);
  bool holds = true;
  each_active(values_.sets(), mask, values_.shape().lanes(),
              [&](int i) { holds &= strictly ? x[i] < y[i] : x[i] <= y[i]; });
  return holds && stays(strictly ? Opcode::lt : Opcode::le, a, b, mask);
}

/// Addresses that all grow alike: banks turn around, groups move if whole ones are passed.
bool Leap::same_stages(const Instruction& in) {
  if (!shift(in.a)) return false;
  const std::int64_t by = *shift(in.a);
  if (by == 0) return true;
  const ArrayView& array = launch_.arrays[static_cast<std::size_t>(in.immediate)];
  const Placement& placement = *array.placement;
  std::int64_t words = by;
  if (placement.kind == LayoutKind::padded) {
    if (by % placement.row_length != 0) return false;
    words = by / placement.row_length * placement.pitch;
  } else if (placement.kind != LayoutKind::rows) {
    return false;
  }
  const Banks& banks = launch_.banks(array.unit);
  return banks.kind() == UnitKind::discrete || words % banks.width() == 0;
}

void Leap::fits(const Instruction& in, const Mask& mask) {
  if (ir::operands(in.op).find('d') == std::string_view::npos || in.d < 0) return;
  if (!watching_ || !shift(in.d) || *shift(in.d) == 0) return;
  const std::int64_t by = *shift(in.d);
  const bool narrow = result_type(in) == Scalar::int32;
  const std::int64_t highest = narrow ? INT32_MAX : most_long;
  const auto [least, most] = range(in.d, mask);
  if (least < -highest || most > highest) return forget();
  limit(by > 0 ? (highest - most) / by : (least + highest) / -by);
}

Totals Leap::totals() const {
  const FnTally& fns = launch_.fns;
  return {launch_.sites,
          fns.calls,
          fns.steps[static_cast<std::size_t>(mp_)],
          launch_.instructions,
          launch_.run.budget.steps,
          launch_.shared_stages,
          launch_.memory_stages};
}

namespace {

/// now + times * (now - before), if it is far from the end of its type.
bool grow(std::int64_t before, std::int64_t& now, std::int64_t times) {
  const std::int64_t more = saturating_multiply(now - before, times);
  if (more > most_long || now > most_long) return false;
  now += more;
  return true;
}

} // namespace

bool Leap::multiply_totals(std::int64_t times) {
  bool fits = true;
  const auto grow_all = [&](const std::vector<std::int64_t>& before,
                            std::vector<std::int64_t>& now) {
    for (std::size_t k = 0; k < now.size(); ++k) fits = fits && grow(before[k], now[k], times);
  };
  const Totals& before = before_totals_;
  for (std::size_t k = 0; k < launch_.sites.size(); ++k) {
    grow_all(before.sites[k].took, launch_.sites[k].took);
    fits =
        fits && grow(before.sites[k].concurrent_writes, launch_.sites[k].concurrent_writes, times);
  }
  grow_all(before.calls, launch_.fns.calls);
  grow_all(before.fn_steps, launch_.fns.steps[static_cast<std::size_t>(mp_)]);
  std::int64_t steps = launch_.run.budget.steps;
  fits = fits && grow(before.instructions, launch_.instructions, times) &&
         grow(before.steps, steps, times) &&
         grow(before.shared_stages, launch_.shared_stages, times) &&
         grow(before.memory_stages, launch_.memory_stages, times);
  launch_.fast.leapt_steps += steps - launch_.run.budget.steps;
  return fits && launch_.fast.leapt_steps < most_long && launch_.ask(UnitId::shared, 0, 0) &&
         launch_.ask(UnitId::global, 0, 0);
}

void Leap::move(Register& r, std::int64_t by, const Mask& mask) {
  if (by == 0) return;
  if (r.form == Form::uniform) {
    r.value = ir::Value::of(r.value.integer() + by);
  } else if (r.form == Form::rows) {
    r.rows.first += by;
    for (std::int64_t& base : r.rows.bases) base += by;
  } else {
    with_type(r.type, [&](auto word) {
      using T = decltype(word);
      T* words = r.words<T>();
      each_active(values_.sets(), mask, values_.shape().lanes(),
                  [&](int i) { words[i] = static_cast<T>(words[i] + static_cast<T>(by)); });
    });
  }
}

Leap::Rounds Leap::leap(const Mask& mask) {
  const Rounds none{0, first_log_};
  watching_ = false;
  if (mask.active != active_ || most_ < 1) return none;
  const std::vector<ir::Register>& live = launch_.facts.live_behind[pc_];
  for (const ir::Register r : live) {
    const Shift by = head_shifts_[static_cast<std::size_t>(r + 1)];
    if (!by || shift(r) != by) return none;
    if (difference(head_[static_cast<std::size_t>(r + 1)], values_[r], mask) != by) return none;
  }
  const std::int64_t times = std::min(most_, most_long);
  for (const ir::Register r : live) {
    std::int64_t by = 0;
    if (__builtin_mul_overflow(*shift(r), times, &by)) return none;
  }
  if (!multiply_totals(times)) {
    launch_.fast.halt(Halted::refused);
    return none;
  }
  for (const ir::Register r : live) move(values_[r], *shift(r) * times, mask);
  return {times, first_log_};
}

} // namespace memlane::fast
