// How low whole numbers can be, and which divisions are harmless therefore.
#include "emit_values.hpp"

#include <algorithm>

namespace memlane::cuda {

using lang::SymbolId;
using lang::TExpr;
using lang::TExprKind;
using Floor = std::optional<std::int64_t>;

namespace {

std::int64_t lowest_of(ir::Scalar type) {
  return type == ir::Scalar::int32 ? std::int64_t{INT32_MIN} : INT64_MIN;
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
void EmitValues::each_limit(SymbolId id,
                            const std::function<void(bool above, std::int64_t limit)>& visit) {
  const lang::ParamSymbol& param = checked_.params[std::size_t(id)];
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
      const Floor below = integer(e.operands[0]);
      if (below && *below < INT64_MAX) visit(false, e.op == lt ? *below + 1 : *below);
    }
    if (is_it(e.operands[0])) {
      const Floor above = integer(e.operands[1]);
      if (above && *above > INT64_MIN) visit(true, e.op == lt ? *above - 1 : *above);
    }
  });
}

/// Of a parameter of the run: what its `where` says, and 1 for an extent.
Floor EmitValues::floor_of_param(SymbolId id) {
  Floor floor;
  for (const lang::ArraySymbol& array : checked_.arrays)
    for (const TExpr& extent : array.extents)
      if (array.kind == lang::ArrayKind::memory && array.used &&
          widened(extent).kind == TExprKind::param && widened(extent).symbol == id)
        floor = 1;
  each_limit(id, [&](bool above, std::int64_t limit) {
    if (!above) floor = std::max(floor.value_or(limit), limit);
  });
  return floor;
}

std::optional<std::int64_t> EmitValues::ceiling_of_param(SymbolId id) {
  std::optional<std::int64_t> ceiling;
  each_limit(id, [&](bool above, std::int64_t limit) {
    if (above) ceiling = std::min(ceiling.value_or(limit), limit);
  });
  return ceiling;
}

Floor EmitValues::floor_of_operation(const TExpr& e) {
  const auto of = [&](std::size_t k) { return floor(e.operands[k]); };
  using enum ir::Opcode;
  switch (e.op) {
  case min: {
    const Floor a = of(0), b = of(1);
    return a && b ? Floor(std::min(*a, *b)) : std::nullopt;
  }
  case max: return std::max(of(0), of(1)); // none is the least
  case log2: return 0;
  case rem: return of(0) >= Floor(0) ? Floor(0) : lowest_of(e.type.scalar) + 1;
  case ir::Opcode::mod: return of(1) >= Floor(0) ? Floor(0) : lowest_of(e.type.scalar) + 1;
  case ir::Opcode::div:
  case ceil_div: return of(0) >= Floor(0) && of(1) >= Floor(1) ? Floor(0) : std::nullopt;
  case bit_and: return of(0) >= Floor(0) || of(1) >= Floor(0) ? Floor(0) : std::nullopt;
  case shr: return of(0) >= Floor(0) ? Floor(0) : std::nullopt;
  default: return std::nullopt; // sums and products may go round
  }
}

Floor EmitValues::floor(const TExpr& expr) {
  if (!ir::is_integer(expr.type.scalar) || expr.type.is_record()) return std::nullopt;
  if (const std::optional<Interval> known = interval(expr)) return known->low;
  switch (expr.kind) {
  case TExprKind::param: return floor_of_param(expr.symbol);
  case TExprKind::constant: return floor(checked_.consts[std::size_t(expr.symbol)].values[0]);
  case TExprKind::special:
  case TExprKind::index_number: return 0;
  case TExprKind::variable: {
    const auto found = floors_.find(expr.symbol);
    return found == floors_.end() ? std::nullopt : found->second;
  }
  case TExprKind::conditional: {
    const Floor a = floor(expr.operands[1]), b = floor(expr.operands[2]);
    return a && b ? Floor(std::min(*a, *b)) : std::nullopt;
  }
  case TExprKind::convert: {
    const ir::Scalar from = expr.operands[0].type.scalar;
    if (!ir::is_integer(from) || expr.type.scalar != ir::Scalar::int64) return std::nullopt;
    if (const Floor inner = floor(expr.operands[0])) return inner;
    return from == ir::Scalar::int32 ? Floor(INT32_MIN) : std::nullopt;
  }
  case TExprKind::operation: return floor_of_operation(expr);
  default: return std::nullopt;
  }
}

bool EmitValues::may_overflow(const TExpr& division) {
  const TExpr &dividend = division.operands[0], &divisor = division.operands[1];
  const auto by = interval(divisor);
  if (by && (by->low > -1 || by->high < -1)) return false;
  if (floor(divisor) >= Floor(0)) return false;
  return !(floor(dividend) > Floor(lowest_of(division.type.scalar)));
}

} // namespace memlane::cuda
