// Expressions: operators, conditions, comparisons, conversions.
#include "checker.hpp"
#include "lexer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace memlane::lang {

// Operators, conditions, conditional expressions.

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
  case ExprKind::atomic: return atomic(e, e.op);
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
  if (e.op == Opcode::div) type = quotient_type(type);
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

// Comparisons and their chains. The checked tree has eq, ne, lt and le only; a comparison that is
// turned around keeps the order of its requests, left to right.

using ir::Opcode;

/// Moves an expression into a variable of `binder`, a fn_call without a fn, and returns the
/// variable.
TExpr Checker::bind(TExpr e, TExpr& binder) {
  TExpr variable = node(TExprKind::variable, e.type, e.span, {},
                        new_variable("(" + text(e.span) + ")", e.span, e.type, false));
  binder.bindings.push_back({variable.symbol, std::move(e)});
  return variable;
}

Typed Checker::comparison(const Expr& e) {
  const Depth depth(*this, e.span, e.comparisons.size());
  if (!depth) return std::nullopt;
  if (auto layout = layout_comparison(e)) return *layout;
  auto operands = arguments(e);
  if (!operands) return std::nullopt;
  TExpr first = std::move(operands->front());
  return chain(e, 0, std::move(first), *operands);
}

/// The comparisons of the chain from number `at` on, the first of them with `left`.
Typed Checker::chain(const Expr& e, std::size_t at, TExpr left, std::vector<TExpr>& operands) {
  TExpr right = std::move(operands[at + 1]);
  if (at + 1 == e.comparisons.size()) {
    return compare(e.comparisons[at], std::move(left), std::move(right), e.span);
  }
  TExpr binder = node(TExprKind::fn_call, bool_type, e.span);
  if (!is_at_hand(right.kind)) { // the middle is evaluated once, after its left side
    if (reads_arrays(left)) left = bind(std::move(left), binder);
    right = bind(std::move(right), binder);
  }
  Typed first = compare(e.comparisons[at], std::move(left), right, e.span);
  Typed rest = chain(e, at + 1, std::move(right), operands);
  if (!first || !rest) return std::nullopt;
  TExpr both = node(TExprKind::logical_and, bool_type, e.span,
                    operands_of(std::move(*first), std::move(*rest)));
  both.implied = true;
  if (binder.bindings.empty()) return both;
  binder.operands.push_back(std::move(both));
  return binder;
}

Typed Checker::compare(Comparison comparison, TExpr a, TExpr b, Span span) {
  const bool equality = comparison.op == Opcode::eq || comparison.op == Opcode::ne;
  if (is_number(a.type) && is_number(b.type)) {
    if (!unify({&a, &b})) return std::nullopt;
  } else if (!(a.type == b.type)) {
    return error(span, "this compares " + name_of(a.type) + " with " + name_of(b.type));
  } else if (!equality)
    return error(span, in_quotes(spelling(comparison)) + " compares numbers, these are " +
                           name_of(a.type));
  TExpr binder = node(TExprKind::fn_call, bool_type, span);
  if (comparison.turned) {
    if (reads_arrays(a) && reads_arrays(b)) a = bind(std::move(a), binder);
    std::swap(a, b);
  }
  TExpr result =
      node(TExprKind::comparison, bool_type, span, operands_of(std::move(a), std::move(b)));
  result.op = comparison.op;
  if (binder.bindings.empty()) return result;
  binder.operands.push_back(std::move(result));
  return binder;
}

// Types of literals, widening of narrower operands, explicit conversions.

using ir::Scalar;

TExpr node(TExprKind kind, Type type, Span span, std::vector<TExpr> operands, SymbolId symbol) {
  TExpr e;
  e.kind = kind;
  e.type = type;
  e.span = span;
  e.operands = std::move(operands);
  e.symbol = symbol;
  return e;
}

TStatement typed_statement(TStatementKind kind, Span span, SymbolId symbol) {
  TStatement s;
  s.kind = kind;
  s.span = span;
  s.symbol = symbol;
  return s;
}

TExpr literal(Type type, ir::Value value, Span span) {
  TExpr e = node(TExprKind::literal, type, span);
  e.value = value;
  return e;
}

TExpr operation(ir::Opcode op, Type type, Span span, std::vector<TExpr> operands) {
  TExpr e = node(TExprKind::operation, type, span, std::move(operands));
  e.op = op;
  return e;
}

namespace {

bool literal_fits(const TExpr& e, Scalar target) {
  if (ir::is_integer(e.type.scalar)) {
    std::int64_t v = e.value.integer();
    return target != Scalar::int32 || (v >= std::numeric_limits<std::int32_t>::min() &&
                                       v <= std::numeric_limits<std::int32_t>::max());
  }
  if (target == Scalar::float64) return true;
  return target == Scalar::float32 &&
         std::fabs(e.value.real()) <= double{std::numeric_limits<float>::max()};
}

/// The first operand whose type follows the type of the whole.
std::size_t first_arm(const TExpr& e) { return e.kind == TExprKind::conditional ? 1 : 0; }

} // namespace

/// Is the expression made of literals that can be of the target type instead?
bool can_retag(const TExpr& e, Scalar target) {
  if (!is_number(e.type) || e.type.exact || target == Scalar::boolean) return false;
  if (e.kind == TExprKind::literal) return literal_fits(e, target);
  // The 1 or 0 that a conversion makes of a bool has the type that is written, or a wider one.
  if (e.kind == TExprKind::conditional && e.implied && target < e.type.scalar) return false;
  bool arms = e.kind == TExprKind::conditional || e.kind == TExprKind::fn_call;
  // Sums of real literals may be float as well; those of integers keep integer arithmetic.
  bool sums = e.kind == TExprKind::operation && ir::is_real(e.type.scalar) && ir::is_real(target);
  if (!arms && !sums) return false;
  if (!e.block.empty()) {
    const std::vector<const TExpr*> values = returned_values(e.block);
    return std::all_of(values.begin(), values.end(),
                       [&](const TExpr* value) { return can_retag(*value, target); });
  }
  for (std::size_t i = first_arm(e); i < e.operands.size(); ++i) {
    if (!can_retag(e.operands[i], target)) return false;
  }
  return true;
}

/// Requires can_retag(e, target).
void retag(TExpr& e, Scalar target) {
  if (e.kind == TExprKind::literal) {
    const auto in = [&]<class T>(T number) { // rounded once
      return target == Scalar::float32 ? double{static_cast<float>(number)}
                                       : static_cast<double>(number);
    };
    if (ir::is_real(target))
      e.value =
          ir::Value::of(ir::is_integer(e.type.scalar) ? in(e.value.integer()) : in(e.value.real()));
  } else if (!e.block.empty()) {
    for (TExpr* value : returned_values(e.block)) retag(*value, target);
  } else {
    for (std::size_t i = first_arm(e); i < e.operands.size(); ++i) retag(e.operands[i], target);
  }
  e.type.scalar = target;
}

/// The expression as a value of `target`: literals become it, narrower types widen, anything else
/// is an error. `target_name` says what wants the type, such as "'x'" or "the other side".
Typed Checker::coerce(Typed e, Type target, const std::string& target_name) {
  if (!e || e->type == target) return e;
  std::string is = "this is " + name_of(e->type) + ", " + target_name + " is " + name_of(target);
  if (target.is_record() || e->type.is_record()) return error(e->span, is);
  if (!is_number(target) || !is_number(e->type))
    return error(e->span, is,
                 {is_number(target) ? "write if " + text(e->span) + " then 1 else 0"
                                    : "write " + text(e->span) + " != 0"});
  if (can_retag(*e, target.scalar)) {
    retag(*e, target.scalar);
    return e;
  }
  if (e->type.scalar < target.scalar) {
    Span span = e->span;
    TExpr wider = node(TExprKind::convert, target, span, operands_of(std::move(*e)));
    wider.implied = true;
    return wider;
  }
  if (e->kind == TExprKind::literal && is_integer(target) && is_integer(e->type))
    return error(e->span, is + ": the number does not fit", {"use long"});
  return error(e->span, is + ": narrowing needs a conversion",
               {"write " + name_of(target) + "(" + text(e->span) + ")"});
}

/// Converts numbers to their common type: the widest of those that are not literals, if the
/// literals fit it.
bool Checker::unify(const std::vector<TExpr*>& operands) {
  std::optional<Scalar> common;
  for (const TExpr* e : operands) {
    bool flexible = can_retag(*e, e->type.scalar);
    if (!flexible && (!common || *common < e->type.scalar)) common = e->type.scalar;
  }
  for (const TExpr* e : operands) {
    if (!common) common = e->type.scalar;
    if (!can_retag(*e, *common) && *common < e->type.scalar) common = e->type.scalar;
  }
  for (TExpr* e : operands) {
    Typed converted = coerce(std::move(*e), {*common, -1, e->type.exact}, "the other side");
    if (!converted) return false;
    *e = std::move(*converted);
  }
  return true;
}

bool Checker::require_number(const TExpr& e, const std::string& what) {
  if (is_number(e.type)) return true;
  return error(e.span, what + " takes numbers, this is " + name_of(e.type)), false;
}

bool Checker::require_integer(const TExpr& e, const std::string& what) {
  if (is_integer(e.type) || (e.type.exact && is_number(e.type))) return true;
  std::vector<std::string> help;
  if (is_number(e.type)) help = {"write int(" + text(e.span) + ")"};
  return error(e.span, what + " is an integer, this is " + name_of(e.type), help), false;
}

/// Appends the value if it is an integer; false after an error.
bool Checker::add_integer(Typed e, const std::string& what, std::vector<TExpr>& to) {
  if (!e || !require_integer(*e, what)) return false;
  to.push_back(std::move(*e));
  return true;
}

bool Checker::require_bool(const TExpr& e, const std::string& what) {
  if (e.type == bool_type) return true;
  std::vector<std::string> help;
  if (is_number(e.type)) help = {"write " + text(e.span) + " != 0"};
  return error(e.span, what + " is a bool, this is " + name_of(e.type), help), false;
}

} // namespace memlane::lang
