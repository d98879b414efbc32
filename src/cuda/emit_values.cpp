#include "emit_values.hpp"

#include "memlane/ir/arithmetic.hpp"

#include <algorithm>
#include <array>

namespace memlane::cuda {

using lang::TExpr;
using lang::TExprKind;

EmitValues::EmitValues(const lang::Checked& checked, const lang::Bindings& bindings,
                       const Sources& sources, const ir::Program& lowered)
    : checked_(checked), bindings_(bindings), sources_(sources) {
  for (const ir::Constant& constant : lowered.constants) named_[constant.name] = constant.value;
}

std::optional<std::int64_t> EmitValues::integer(const TExpr& expr) {
  const std::optional<ir::Value> known = value(expr);
  if (!known || !ir::is_integer(expr.type.scalar)) return std::nullopt;
  return known->integer();
}

std::optional<ir::Value> EmitValues::value(const TExpr& expr) {
  const auto named = [&](const std::string& name) -> std::optional<ir::Value> {
    const auto found = named_.find(name);
    if (found == named_.end()) return std::nullopt;
    return found->second;
  };
  switch (expr.kind) {
  case TExprKind::literal: return expr.value;
  case TExprKind::param:
    if (!all_known_ && params_.count(expr.symbol) == 0) return std::nullopt;
    return named(checked_.params[std::size_t(expr.symbol)].name);
  case TExprKind::constant:
    if (!all_known_ && consts_.count(expr.symbol) == 0) return std::nullopt;
    return named(checked_.consts[std::size_t(expr.symbol)].name);
  case TExprKind::letter: {
    const auto letter = bindings_.letters.find(expr.text);
    if (letter == bindings_.letters.end()) return std::nullopt;
    return ir::Value::of(letter->second);
  }
  case TExprKind::variable: {
    const auto found = bound_.find(expr.symbol);
    return found == bound_.end() ? std::nullopt : found->second;
  }
  case TExprKind::fn_call:
    if (!expr.block.empty()) return value_of_block(expr);
    for (const lang::Binding& binding : expr.bindings) bind(binding.variable, value(binding.value));
    return value(expr.operands[0]);
  case TExprKind::conditional:
  case TExprKind::logical_and:
  case TExprKind::logical_or: {
    const std::optional<ir::Value> first = value(expr.operands[0]);
    if (!first) return std::nullopt;
    if (expr.kind == TExprKind::conditional) return value(expr.operands[first->truth() ? 1 : 2]);
    const bool decided = first->truth() == (expr.kind == TExprKind::logical_or);
    return decided ? first : value(expr.operands[1]);
  }
  case TExprKind::lookup: return word_of_table(expr);
  case TExprKind::operation:
  case TExprKind::comparison:
  case TExprKind::logical_not:
  case TExprKind::convert:
  case TExprKind::is_pow2: break;
  default: return std::nullopt;
  }
  std::array<ir::Value, 3> values{};
  for (std::size_t i = 0; i < expr.operands.size(); ++i) {
    const std::optional<ir::Value> operand = value(expr.operands[i]);
    if (!operand || expr.operands[i].type.is_record()) return std::nullopt;
    values.at(i) = *operand;
  }
  const ir::Scalar from = expr.operands[0].type.scalar;
  const bool of_result = expr.kind == TExprKind::operation || expr.kind == TExprKind::convert;
  const ir::Opcode op = expr.kind == TExprKind::logical_not ? ir::Opcode::logical_not
                        : expr.kind == TExprKind::convert   ? ir::Opcode::convert
                        : expr.kind == TExprKind::is_pow2   ? ir::Opcode::is_pow2
                                                            : expr.op;
  const ir::Outcome outcome =
      ir::apply(op, of_result ? expr.type.scalar : from, values[0], values[1], values[2], from);
  if (outcome.trap) return std::nullopt;
  return outcome.value;
}

/// Executed as before a run, where all that it depends on is known here too.
std::optional<ir::Value> EmitValues::value_of_block(const TExpr& call) {
  TExpr known = call;
  for (lang::Binding& binding : known.bindings) {
    const std::optional<ir::Value> argument = value(binding.value);
    if (!argument || binding.value.type.is_record()) return std::nullopt;
    binding.value.kind = TExprKind::literal;
    binding.value.value = *argument;
    binding.value.operands.clear(), binding.value.bindings.clear(), binding.value.block.clear();
  }
  std::set<lang::SymbolId> params;
  add_parameters(known, params);
  if (!all_known_ && !std::includes(params_.begin(), params_.end(), params.begin(), params.end()))
    return std::nullopt;
  return lang::constant_value(checked_, bindings_, sources_, known);
}

std::optional<ir::Value> EmitValues::word_of_table(const TExpr& expr) {
  const lang::ConstSymbol& table = checked_.consts[std::size_t(expr.symbol)];
  std::int64_t at = 0;
  for (std::size_t k = 0; k < expr.operands.size(); ++k) {
    const auto index = integer(expr.operands[k]), extent = integer(table.extents[k]);
    if (!index || !extent || *index < 0 || *index >= *extent) return std::nullopt;
    at = at * *extent + *index;
  }
  const auto word = table.list ? std::size_t(at) : 0;
  return word < table.values.size() ? value(table.values[word]) : std::nullopt;
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
