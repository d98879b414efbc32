#include "emit_values.hpp"

#include "memlane/ir/arithmetic.hpp"

#include <algorithm>

namespace memlane::cuda {

using lang::TExpr;
using lang::TExprKind;

namespace {

/// What counts (configs/README.md, section 6) has a value too: the emitted text only uses the
/// value.
constexpr lang::EvaluationRules emission_rules = {lang::folding_rules.most_steps, true, false,
                                                  false};

} // namespace

EmitValues::EmitValues(const lang::Checked& checked, const lang::Bindings& bindings,
                       const ir::Program& lowered)
    : checked_(checked), bindings_(bindings), evaluator_(checked, *this, emission_rules) {
  for (const ir::Constant& constant : lowered.constants) named_[constant.name] = constant.value;
}

void EmitValues::know_only(const std::set<lang::SymbolId>& params,
                           const std::set<lang::SymbolId>& consts) {
  params_ = params, consts_ = consts, all_known_ = false;
  evaluator_ = lang::Evaluator(checked_, *this, emission_rules);
}

std::optional<ir::Value> EmitValues::value(const TExpr& expr) {
  if (expr.type.is_record()) return std::nullopt;
  const auto known = evaluator_.value(expr);
  return known ? std::optional(known->word()) : std::nullopt;
}

std::optional<std::int64_t> EmitValues::integer(const TExpr& expr) {
  const std::optional<ir::Value> known = value(expr);
  if (!known || !ir::is_integer(expr.type.scalar)) return std::nullopt;
  return known->integer();
}

lang::Evaluation EmitValues::param(lang::SymbolId id) {
  const lang::ParamSymbol& symbol = checked_.params[std::size_t(id)];
  const auto found = named_.find(symbol.name);
  if (found != named_.end() && (all_known_ || params_.count(id) > 0))
    return lang::Evaluated{found->second};
  return lang::NoValue{error_at(symbol.span, "a parameter of the run")};
}

lang::Evaluation EmitValues::letter(const TExpr& e) {
  const auto found = bindings_.letters.find(e.text);
  if (found != bindings_.letters.end()) return lang::Evaluated{ir::Value::of(found->second)};
  return lang::NoValue{error_at(e.span, "the machine has no " + e.text)};
}

std::optional<lang::Evaluated> EmitValues::variable(lang::SymbolId id) {
  const auto found = bound_.find(id);
  if (found == bound_.end() || !found->second) return std::nullopt;
  return lang::Evaluated{*found->second};
}

namespace {

// Far from overflow: beyond this a bound is as good as none.
constexpr std::int64_t farthest_bound = std::int64_t{1} << 40;

std::optional<Interval> sensible(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  const Interval all = {std::min({a, b, c, d}), std::max({a, b, c, d})};
  if (all.low < -farthest_bound || all.high > farthest_bound) return std::nullopt;
  return all;
}

/// Whether an operation never falls when an operand grows.
bool is_monotone(ir::Opcode op) {
  using enum ir::Opcode;
  return op == add || op == min || op == max || op == log2;
}

} // namespace

std::optional<Interval> EmitValues::interval_of_operation(const TExpr& expr) {
  std::vector<Interval> of;
  for (const TExpr& operand : expr.operands) {
    const std::optional<Interval> known = interval(operand);
    if (!known) return std::nullopt;
    of.push_back(*known);
  }
  const auto at = [&](std::int64_t x, std::int64_t y) -> std::optional<std::int64_t> {
    const ir::Outcome outcome = ir::apply(expr.op, ir::Scalar::int64, ir::Value::of(x),
                                          ir::Value::of(y), ir::Value{}, ir::Scalar::int64);
    if (outcome.trap) return std::nullopt;
    return outcome.value.integer();
  };
  if (is_monotone(expr.op)) {
    const bool single = of.size() == 1;
    const auto low = at(of[0].low, single ? 0 : of[1].low);
    const auto high = at(of[0].high, single ? 0 : of[1].high);
    if (!low || !high) return std::nullopt;
    return sensible(*low, *high, *low, *high);
  }
  using enum ir::Opcode;
  const bool growing_power = expr.op == pow && of[0].low >= 1 && of[1].low >= 0 && of[1].high < 40;
  const bool quotient = (expr.op == ir::Opcode::div || expr.op == ceil_div) && of[1].low >= 1;
  if (expr.op != sub && expr.op != mul && !growing_power && !quotient) return std::nullopt;
  const auto a = at(of[0].low, of[1].low), b = at(of[0].low, of[1].high);
  const auto c = at(of[0].high, of[1].low), d = at(of[0].high, of[1].high);
  if (!a || !b || !c || !d) return std::nullopt;
  return sensible(*a, *b, *c, *d);
}

std::optional<Interval> EmitValues::interval(const TExpr& expr) {
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
    return sensible(a->low, a->high, b->low, b->high);
  }
  case TExprKind::operation:
    if (!ir::is_integer(expr.type.scalar)) return std::nullopt;
    return interval_of_operation(expr);
  default: return std::nullopt;
  }
}

void EmitValues::add_parameters(const TExpr& expr, std::set<lang::SymbolId>& params) const {
  lang::each_part(expr, [&](const TExpr& part) {
    if (part.kind == TExprKind::param) params.insert(part.symbol);
    if (part.kind != TExprKind::constant && part.kind != TExprKind::lookup) return;
    const lang::ConstSymbol& constant = checked_.consts[std::size_t(part.symbol)];
    for (const TExpr& extent : constant.extents) add_parameters(extent, params);
    for (const TExpr& value : constant.values) add_parameters(value, params);
  });
}

bool draws(const TExpr& expr) {
  return lang::contains(expr, [](const TExpr& part) { return part.kind == TExprKind::random; });
}

} // namespace memlane::cuda
