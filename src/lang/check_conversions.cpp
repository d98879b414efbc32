// Types of literals, widening of narrower operands, explicit conversions.
#include "checker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace memlane::lang {

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
    double real =
        ir::is_integer(e.type.scalar) ? static_cast<double>(e.value.integer()) : e.value.real();
    if (target == Scalar::float32) real = double{static_cast<float>(real)};
    if (ir::is_real(target)) e.value = ir::Value::of(real);
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
    return node(TExprKind::convert, target, span, operands_of(std::move(*e)));
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
