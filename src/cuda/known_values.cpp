#include "known_values.hpp"

#include "memlane/ir/arithmetic.hpp"

#include <algorithm>
#include <bit>

namespace memlane::cuda {

using lang::SymbolId;
using lang::TExpr;
using lang::TExprKind;

namespace {

/// What counts (configs/README.md, section 6) has a value too: the emitted text only uses the
/// value.
constexpr lang::EvaluationRules emission_rules = {lang::folding_rules.most_steps, true, false,
                                                  false};

} // namespace

KnownValues::KnownValues(const lang::Checked& checked, const lang::Bindings& bindings,
                         const ir::Program& lowered)
    : checked_(checked), bindings_(bindings), evaluator_(checked, *this, emission_rules) {
  for (const ir::Constant& constant : lowered.constants) named_[constant.name] = constant.value;
}

void KnownValues::know_only(const std::set<lang::SymbolId>& params,
                            const std::set<lang::SymbolId>& consts) {
  params_ = params, consts_ = consts, all_known_ = false;
  evaluator_ = lang::Evaluator(checked_, *this, emission_rules);
}

std::optional<ir::Value> KnownValues::value(const TExpr& expr) {
  if (expr.type.is_record()) return std::nullopt;
  const auto known = evaluator_.value(expr);
  return known ? std::optional(known->word()) : std::nullopt;
}

std::optional<std::int64_t> KnownValues::integer(const TExpr& expr) {
  const std::optional<ir::Value> known = value(expr);
  if (!known || !ir::is_integer(expr.type.scalar)) return std::nullopt;
  return known->integer();
}

lang::Evaluation KnownValues::param(lang::SymbolId id) {
  const lang::ParamSymbol& symbol = checked_.param(id);
  const auto found = named_.find(symbol.name);
  if (found != named_.end() && (all_known_ || params_.count(id) > 0))
    return lang::Evaluated{found->second};
  return lang::NoValue{error_at(symbol.span, "a parameter of the run")};
}

lang::Evaluation KnownValues::letter(const TExpr& e) {
  const auto found = bindings_.letters.find(e.text);
  if (found != bindings_.letters.end()) return lang::Evaluated{ir::Value::of(found->second)};
  return lang::NoValue{error_at(e.span, "the machine has no " + e.text)};
}

std::optional<lang::Evaluated> KnownValues::variable(lang::SymbolId id) {
  const auto found = bound_.find(id);
  if (found == bound_.end() || !found->second) return std::nullopt;
  return lang::Evaluated{*found->second};
}

void KnownValues::add_parameters(const TExpr& expr, std::set<lang::SymbolId>& params) const {
  lang::each_part(expr, [&](const TExpr& part) {
    if (part.kind == TExprKind::param) params.insert(part.symbol);
    if (part.kind != TExprKind::constant && part.kind != TExprKind::lookup) return;
    const lang::ConstSymbol& constant = checked_.constant(part.symbol);
    for (const TExpr& extent : constant.extents) add_parameters(extent, params);
    for (const TExpr& value : constant.values) add_parameters(value, params);
  });
}

// Between which numbers a whole number stays: where 32 bits are enough, which loop counters never
// pass the end of int, which divisions are harmless.

namespace {

constexpr Interval all_ints = {INT32_MIN, INT32_MAX};
constexpr Interval all_longs = {INT64_MIN, INT64_MAX};
constexpr std::int64_t most_blocks = std::int64_t{1} << 20; // what the harness launches

Interval of_type(ir::Scalar type) { return type == ir::Scalar::int64 ? all_longs : all_ints; }

std::int64_t log2_of(std::int64_t x) {
  return x < 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x))) - 1;
}

/// The largest x with x^exponent <= most_elements.
std::int64_t root_of_most_elements(int exponent) {
  const auto fits = [&](std::int64_t x) {
    std::int64_t left = most_elements;
    for (int k = 0; k < exponent; ++k) left /= x;
    return left >= 1;
  };
  std::int64_t low = 1, high = most_elements;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (fits(middle))
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/// The least and greatest of a function at the corners; none where one of them overflows.
template <class Function>
std::optional<Interval> corners(const Interval& a, const Interval& b, Function function) {
  std::optional<Interval> result;
  for (const std::int64_t x : {a.low, a.high}) {
    for (const std::int64_t y : {b.low, b.high}) {
      std::int64_t value = 0;
      if (function(x, y, value)) return std::nullopt;
      if (!result) result = Interval{value, value};
      result = Interval{std::min(result->low, value), std::max(result->high, value)};
    }
  }
  return result;
}

bool power_overflows(std::int64_t base, std::int64_t exponent, std::int64_t& value) {
  value = 1;
  for (std::int64_t k = 0; k < exponent; ++k)
    if (__builtin_mul_overflow(value, base, &value)) return true;
  return false;
}

/// By zero there is no result.
std::optional<Interval> quotient_bounds(ir::Opcode op, const Interval& a, const Interval& b) {
  const bool positive = b.low >= 0;
  if (op == ir::Opcode::rem) { // the result has the sign of a, and is no larger
    Interval of = {a.low >= 0 ? 0 : std::max(a.low, -all_longs.high),
                   std::max<std::int64_t>(0, a.high)};
    if (positive) of = {std::max(of.low, 1 - b.high), std::min(of.high, b.high - 1)};
    return of;
  }
  if (op == ir::Opcode::mod && positive)
    return Interval{0, a.low >= 0 ? std::min(a.high, b.high - 1) : b.high - 1};
  if (op == ir::Opcode::mod || !positive) return std::nullopt;
  return corners(a, {std::max<std::int64_t>(1, b.low), std::max<std::int64_t>(1, b.high)},
                 [&](std::int64_t x, std::int64_t y, std::int64_t& value) {
                   value = x / y + (op == ir::Opcode::ceil_div && x % y > 0 ? 1 : 0);
                   return false;
                 });
}

std::optional<Interval> bit_bounds(ir::Opcode op, const Interval& a, const Interval& b) {
  using enum ir::Opcode;
  if (op == bit_and && a.low >= 0)
    return Interval{0, b.low >= 0 ? std::min(a.high, b.high) : a.high};
  if (op == bit_and && b.low >= 0) return Interval{0, b.high};
  if (op == shr && a.low >= 0 && b.low < 0) return Interval{0, a.high};
  if (a.low < 0 || b.low < 0) return std::nullopt;
  if (op == bit_or || op == bit_xor) {
    const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(a.high | b.high)));
    return Interval{0, bits < 63 ? (std::int64_t{1} << bits) - 1 : INT64_MAX};
  }
  if (op == shr && b.high > 62) return Interval{0, a.high};
  if (b.high > 62) return std::nullopt;
  if (op == shr) return Interval{a.low >> b.high, a.high >> b.low};
  return corners(a, b, [](std::int64_t x, std::int64_t y, std::int64_t& value) {
    return __builtin_mul_overflow(x, std::int64_t{1} << y, &value);
  });
}

/// What an operation gives where nothing wraps around; none if something may.
std::optional<Interval> operation_bounds(ir::Opcode op, const Interval& a, const Interval& b) {
  using enum ir::ArithmeticOpcode;
  using Number = std::int64_t;
  switch (static_cast<ir::ArithmeticOpcode>(op)) {
  case add:
    return corners(a, b, [](Number x, Number y, Number& value) {
      return __builtin_add_overflow(x, y, &value);
    });
  case sub:
    return corners(a, b, [](Number x, Number y, Number& value) {
      return __builtin_sub_overflow(x, y, &value);
    });
  case mul:
    return corners(a, b, [](Number x, Number y, Number& value) {
      return __builtin_mul_overflow(x, y, &value);
    });
  case neg:
    if (a.low == INT64_MIN) return std::nullopt;
    return Interval{-a.high, -a.low};
  case ir::ArithmeticOpcode::abs:
    if (a.low == INT64_MIN) return std::nullopt;
    return Interval{a.low >= 0 ? a.low : a.high <= 0 ? -a.high : 0, std::max(-a.low, a.high)};
  case min: return Interval{std::min(a.low, b.low), std::min(a.high, b.high)};
  case max: return Interval{std::max(a.low, b.low), std::max(a.high, b.high)};
  case ir::ArithmeticOpcode::log2: return Interval{log2_of(a.low), log2_of(a.high)};
  case ir::ArithmeticOpcode::pow:
    if (a.low < 1 || b.low < 0 || b.high > 62) return std::nullopt;
    return corners(a, b, power_overflows);
  case ir::ArithmeticOpcode::div:
  case rem:
  case ir::ArithmeticOpcode::mod:
  case ceil_div: return quotient_bounds(op, a, b);
  case bit_and:
  case bit_or:
  case bit_xor:
  case shl:
  case shr: return bit_bounds(op, a, b);
  case bit_not:
  case mulmod:
  case invmod:
  case iterations:
  case ir::ArithmeticOpcode::sqrt:
  case ir::ArithmeticOpcode::sin:
  case ir::ArithmeticOpcode::cos:
  case ir::ArithmeticOpcode::exp: break;
  }
  return std::nullopt;
}

bool within(const Interval& inner, const Interval& outer) {
  return outer.low <= inner.low && inner.high <= outer.high;
}

/// An expression without conversions that keep a whole number's value.
const TExpr& widened(const TExpr& e) {
  const bool keeps = e.kind == TExprKind::convert && e.type.scalar == ir::Scalar::int64 &&
                     ir::is_integer(e.operands[0].type.scalar);
  return keeps ? widened(e.operands[0]) : e;
}

/// Visits what holds if a condition does; parts with names of their own, as `0 <= n < 9` has, are
/// noted in `named`.
void each_conjunct(const TExpr& e, std::map<SymbolId, const TExpr*>& named,
                   const std::function<void(const TExpr&)>& visit) {
  if (e.kind == TExprKind::fn_call && e.symbol < 0)
    for (const lang::Binding& binding : e.bindings) named[binding.variable] = &binding.value;
  if (e.kind != TExprKind::logical_and && (e.kind != TExprKind::fn_call || e.symbol >= 0))
    return visit(e);
  for (const TExpr& operand : e.operands) each_conjunct(operand, named, visit);
}

} // namespace

/// The limits that a parameter's `where` has for it: numbers that it is not below, or not above.
void KnownValues::each_limit(SymbolId id,
                             const std::function<void(bool above, std::int64_t limit)>& visit) {
  const lang::ParamSymbol& param = checked_.param(id);
  if (!param.where) return;
  std::map<SymbolId, const TExpr*> named;
  const auto is_it = [&](const TExpr& e) {
    const TExpr* part = &widened(e);
    if (part->kind == TExprKind::variable && named.count(part->symbol) > 0)
      part = &widened(*named[part->symbol]);
    return part->kind == TExprKind::param && part->symbol == id;
  };
  each_conjunct(*param.where, named, [&](const TExpr& e) {
    using enum ir::Opcode;
    if (e.kind == TExprKind::is_pow2 && is_it(e.operands[0])) visit(false, 1);
    if (e.kind != TExprKind::comparison || (e.op != lt && e.op != le)) return;
    if (is_it(e.operands[1])) {
      const auto below = integer(e.operands[0]);
      if (below && *below < INT64_MAX) visit(false, e.op == lt ? *below + 1 : *below);
    }
    if (is_it(e.operands[0])) {
      const auto above = integer(e.operands[1]);
      if (above && *above > INT64_MIN) visit(true, e.op == lt ? *above - 1 : *above);
    }
  });
}

/// The bounds of a parameter of the run: what its `where` says, and that an array has 1 to 2^30
/// elements.
Interval KnownValues::bounds_of_param(SymbolId id) {
  Interval bounds = of_type(checked_.param(id).type);
  for (const lang::ArraySymbol& array : checked_.arrays) {
    if (array.kind != lang::ArrayKind::memory || !array.used) continue;
    const auto times =
        std::count_if(array.extents.begin(), array.extents.end(), [&](const TExpr& extent) {
          return widened(extent).kind == TExprKind::param && widened(extent).symbol == id;
        });
    if (times == 0) continue;
    bounds.low = std::max<std::int64_t>(bounds.low, 1);
    bounds.high = std::min(bounds.high, root_of_most_elements(int(times)));
  }
  each_limit(id, [&](bool above, std::int64_t limit) {
    if (above) bounds.high = std::min(bounds.high, limit);
    if (!above) bounds.low = std::max(bounds.low, limit);
  });
  return bounds;
}

Interval KnownValues::bounds_of_special(ir::Special special) const {
  const auto letter = bindings_.letters.find("p");
  const std::int64_t p = letter == bindings_.letters.end() ? 1024 : letter->second;
  switch (special) {
  case ir::Special::thread: return {0, p - 1};
  case ir::Special::threads: return {1, p};
  case ir::Special::block: return {0, most_blocks - 1};
  case ir::Special::blocks: return {1, most_blocks};
  case ir::Special::lane: return {0, std::min<std::int64_t>(31, p - 1)};
  case ir::Special::warp: return {0, (p - 1) / 32};
  case ir::Special::warps: return {1, (p + 31) / 32};
  case ir::Special::index: return {0, most_elements - 1};
  }
  return all_ints;
}

Interval KnownValues::bounds_of_parts(const TExpr& expr) {
  const Interval type = of_type(expr.type.scalar);
  switch (expr.kind) {
  case TExprKind::param: return bounds_of_param(expr.symbol);
  case TExprKind::constant: return bounds(checked_.constant(expr.symbol).values[0]);
  case TExprKind::special: return bounds_of_special(expr.special);
  case TExprKind::index_number: return {0, most_elements - 1};
  case TExprKind::variable: {
    const auto found = bounds_.find(expr.symbol);
    if (found == bounds_.end()) return type;
    return {std::max(found->second.low, type.low), std::min(found->second.high, type.high)};
  }
  case TExprKind::conditional: {
    const Interval a = bounds(expr.operands[1]), b = bounds(expr.operands[2]);
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
  }
  case TExprKind::convert:
    return ir::is_integer(expr.operands[0].type.scalar) ? bounds(expr.operands[0]) : type;
  case TExprKind::fn_call: {
    if (!expr.block.empty()) return type; // what it returns is not followed
    for (const lang::Binding& binding : expr.bindings)
      bounds_[binding.variable] = bounds(binding.value);
    const Interval result = bounds(expr.operands[0]);
    for (const lang::Binding& binding : expr.bindings) bounds_.erase(binding.variable);
    return result;
  }
  case TExprKind::operation: {
    for (const TExpr& operand : expr.operands)
      if (!ir::is_integer(operand.type.scalar)) return type;
    const Interval a = bounds(expr.operands[0]);
    return operation_bounds(expr.op, a, expr.operands.size() > 1 ? bounds(expr.operands[1]) : a)
        .value_or(type);
  }
  default: return type;
  }
}

Interval KnownValues::bounds(const TExpr& expr) {
  const Interval type = of_type(expr.type.scalar);
  if (expr.type.is_record() || !ir::is_integer(expr.type.scalar)) return type;
  if (const std::optional<std::int64_t> known = integer(expr)) return {*known, *known};
  const Interval parts = bounds_of_parts(expr);
  return within(parts, type) ? parts : type; // else it may wrap around
}

bool KnownValues::fits_int(const TExpr& expr) { return within(bounds(expr), all_ints); }

bool KnownValues::may_overflow(const TExpr& division) {
  const Interval divisor = bounds(division.operands[1]);
  if (divisor.low > -1 || divisor.high < -1) return false;
  return bounds(division.operands[0]).low <= of_type(division.type.scalar).low;
}

namespace {

// Far from overflow: beyond this an interval is as good as none.
constexpr std::int64_t farthest_end = std::int64_t{1} << 40;

std::optional<Interval> sensible(std::optional<Interval> of) {
  return of && within(*of, {-farthest_end, farthest_end}) ? of : std::nullopt;
}

} // namespace

std::optional<Interval> KnownValues::interval_of_operation(const TExpr& expr) {
  std::vector<Interval> of;
  for (const TExpr& operand : expr.operands) {
    const std::optional<Interval> known = interval(operand);
    if (!known) return std::nullopt;
    of.push_back(*known);
  }
  return sensible(operation_bounds(expr.op, of[0], of.back()));
}

std::optional<Interval> KnownValues::interval(const TExpr& expr) {
  if (const std::optional<std::int64_t> known = integer(expr)) return Interval{*known, *known};
  switch (expr.kind) {
  case TExprKind::variable: {
    const auto found = loops_.find(expr.symbol);
    return found == loops_.end() ? std::nullopt : found->second;
  }
  case TExprKind::convert:
    if (!ir::is_integer(expr.operands[0].type.scalar) || !ir::is_integer(expr.type.scalar))
      return std::nullopt;
    return interval(expr.operands[0]);
  case TExprKind::fn_call:
    if (!expr.block.empty()) return std::nullopt;
    for (const lang::Binding& binding : expr.bindings)
      if (ir::is_integer(binding.value.type.scalar) && !binding.value.type.is_record())
        bind(binding.variable, interval(binding.value));
    return interval(expr.operands[0]);
  case TExprKind::conditional: {
    const auto a = interval(expr.operands[1]), b = interval(expr.operands[2]);
    if (!a || !b) return std::nullopt;
    return sensible(Interval{std::min(a->low, b->low), std::max(a->high, b->high)});
  }
  case TExprKind::operation:
    if (!ir::is_integer(expr.type.scalar)) return std::nullopt;
    return interval_of_operation(expr);
  default: return std::nullopt;
  }
}

} // namespace memlane::cuda
