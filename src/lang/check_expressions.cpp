// Operators, conditions, conditional expressions.
#include "checker.hpp"
#include "operators.hpp"

#include <limits>

namespace memlane::lang {

using ir::Opcode;
using ir::Scalar;

namespace {

/// Passes over a typed expression recurse, through several functions a level.
constexpr int deepest_inlined = 1200;

} // namespace

bool Checker::deeper(Span span, int levels) {
  depth_ += levels;
  if (depth_ <= deepest_inlined) return true;
  if (!std::exchange(too_deep_, true)) {
    error(span, "this is nested too deeply",
          {"with its fns and types written out, it is at most " + std::to_string(deepest_inlined) +
           " levels high: name its parts, with 'let'"});
  }
  return false;
}

Typed Checker::expr(const Expr& e) {
  if (!watch_.go_on(sizeof(TExpr))) return std::nullopt;
  const Depth depth(*this, e.span, 1);
  return depth ? in_formula(expr_by_kind(e)) : std::nullopt;
}

Typed Checker::expr_by_kind(const Expr& e) {
  switch (e.kind) {
  case ExprKind::integer: {
    bool wide = e.integer > std::numeric_limits<std::int32_t>::max() ||
                e.integer < std::numeric_limits<std::int32_t>::min();
    return literal(wide ? long_type : int_type, ir::Value::of(e.integer), e.span);
  }
  case ExprKind::real: return literal(scalar_type(Scalar::float64), ir::Value::of(e.real), e.span);
  case ExprKind::boolean: return literal(bool_type, ir::Value::of(e.integer != 0), e.span);
  case ExprKind::name: return name_value(e);
  case ExprKind::call: return call(e);
  case ExprKind::initial:
    if (setting_ == Setting::claim) return no_arrays_in_claims(e.span);
    return error(e.span, "initial(" + e.name + ") is an array, but a single value is needed here",
                 {"write initial(" + e.name + ")[…]"});
  case ExprKind::element: return element(e);
  case ExprKind::field: return field(e);
  case ExprKind::negate: return negate(e);
  case ExprKind::complement: return complement(e);
  case ExprKind::logical_not: {
    Typed operand = condition(e.operands[0], "what `not` is applied to");
    if (!operand) return std::nullopt;
    return node(TExprKind::logical_not, bool_type, e.span, operands_of(std::move(*operand)));
  }
  case ExprKind::binary: return binary(e);
  case ExprKind::comparison: return comparison(e);
  case ExprKind::logical_and:
  case ExprKind::logical_or: return logical(e);
  case ExprKind::conditional: return conditional(e);
  }
  return std::nullopt;
}

/// `-x`; of a literal, a literal.
Typed Checker::negate(const Expr& e) {
  Typed operand = expr(e.operands[0]);
  if (!operand || !require_number(*operand, "'-'")) return std::nullopt;
  if (operand->kind == TExprKind::literal) {
    if (ir::is_real(operand->type.scalar)) {
      return literal(operand->type, ir::Value::of(-operand->value.real()), e.span);
    }
    auto v = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(operand->value.integer()));
    bool wide = v < std::numeric_limits<std::int32_t>::min() ||
                v > std::numeric_limits<std::int32_t>::max();
    return literal(wide ? long_type : int_type, ir::Value::of(v), e.span);
  }
  Type type = operand->type;
  return operation(Opcode::neg, type, e.span, operands_of(std::move(*operand)));
}

Typed Checker::complement(const Expr& e) {
  Typed operand = expr(e.operands[0]);
  if (!operand || !require_integer(*operand, "the operand of '~'")) return std::nullopt;
  Type type = operand->type;
  return operation(Opcode::bit_not, type, e.span, operands_of(std::move(*operand)));
}

Typed Checker::binary(const Expr& e) {
  Typed a = expr(e.operands[0]);
  Typed b = expr(e.operands[1]);
  if (!a || !b) return std::nullopt;
  std::string op = in_quotes(spelling(e.op));
  bool good = true;
  for (const TExpr* operand : {&*a, &*b}) {
    const bool right_kind = binary_operator(e.op).integers
                                ? require_integer(*operand, "an operand of " + op)
                                : require_number(*operand, op);
    good = right_kind && good;
  }
  if (!good) return std::nullopt;
  if (e.op == Opcode::pow && is_integer(a->type) && is_integer(b->type) && !is_formula()) {
    a = coerce(std::move(a), long_type, op);
    b = coerce(std::move(b), long_type, op);
  }
  if (!a || !b || !unify({&*a, &*b})) return std::nullopt;
  Type type = a->type;
  return operation(e.op, type, e.span, operands_of(std::move(*a), std::move(*b)));
}

Typed Checker::condition(const Expr& e, const std::string& what) {
  Typed value = expr(e);
  if (!value || !require_bool(*value, what)) return std::nullopt;
  return value;
}

Typed Checker::logical(const Expr& e) {
  bool is_and = e.kind == ExprKind::logical_and;
  std::string what = is_and ? "an operand of `and`" : "an operand of `or`";
  Typed a = condition(e.operands[0], what);
  Typed b = condition(e.operands[1], what);
  if (!a || !b) return std::nullopt;
  return node(is_and ? TExprKind::logical_and : TExprKind::logical_or, bool_type, e.span,
              operands_of(std::move(*a), std::move(*b)));
}

Typed Checker::conditional(const Expr& e) {
  Typed chosen = condition(e.operands[0], "the condition");
  Typed a = expr(e.operands[1]);
  Typed b = expr(e.operands[2]);
  if (!chosen || !a || !b) return std::nullopt;
  if (is_number(a->type) && is_number(b->type)) {
    if (!unify({&*a, &*b})) return std::nullopt;
  } else if (!(a->type == b->type))
    return error(e.span, "the arms are " + name_of(a->type) + " and " + name_of(b->type),
                 {"both arms need one type"});
  Type type = a->type;
  return node(TExprKind::conditional, type, e.span,
              operands_of(std::move(*chosen), std::move(*a), std::move(*b)));
}

} // namespace memlane::lang
