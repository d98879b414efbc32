// Operators: the arithmetic of the language in that of C++.
#include "desugar.hpp"

#include <fmt/format.h>

#include <utility>

namespace memlane::cuda {

using namespace lang;
using enum ir::Scalar;

namespace {

/// Whether a person would expect this to go beyond the range of its type, as hashes do.
bool expects_overflow(const TExpr& e) {
  using enum ir::Opcode;
  if (e.kind != TExprKind::operation || !ir::is_integer(e.type.scalar)) return false;
  if (e.op != add && e.op != sub && e.op != mul) return false;
  const std::int64_t large = e.op == mul ? std::int64_t{1} << 14 : std::int64_t{1} << 29;
  for (const TExpr& operand : e.operands) {
    const bool number = operand.kind == TExprKind::literal && ir::is_integer(operand.type.scalar);
    if (number && (operand.value.integer() >= large || operand.value.integer() <= -large))
      return true;
    if (expects_overflow(operand)) return true;
  }
  return false;
}

Expr as_double(Expr e) { return cast("double", std::move(e), float64); }

/// What C++ computes as a double.
Expr rounded(Expr made, ir::Scalar type) {
  made.type = float64;
  return type == float32 ? cast("float", std::move(made), type) : made;
}

} // namespace

Expr Desugarer::arithmetic(const char* op, const TExpr& e) {
  Expr left = expr(e.operands[0]), right = expr(e.operands[1]);
  // The arithmetic is done in the node's type: one operand at least has to be of it. In kernels 32
  // bits do where they hold the operands and the result.
  const bool shifts = e.op == ir::Opcode::shl || e.op == ir::Opcode::shr;
  const bool narrow = e.type.scalar == int64 && left.type == int32 &&
                      (shifts || right.type == int32) && !context_->host && values_.fits_int(e);
  const ir::Scalar type = narrow ? int32 : e.type.scalar;
  if ((shifts || right.type != type) && left.type != type)
    left = exact(std::move(left), type, &e.operands[0]);
  return binary(std::move(left), op, std::move(right), type);
}

/// The language's integers wrap around; C++'s unsigned ones do.
Expr Desugarer::wrapping(const char* op, const TExpr& e) {
  const ir::Scalar type = e.type.scalar;
  const bool wide = type == int64;
  const auto side = [&](const TExpr& operand) {
    Expr code = expr(operand);
    if (operand.kind == TExprKind::literal && operand.value.integer() >= 0)
      return literal(std::to_string(operand.value.integer()) + (wide ? "ull" : "u"), type);
    return wide ? cast("unsigned long long", exact(std::move(code), int64), type)
                : cast("unsigned", std::move(code), type);
  };
  Expr left = side(e.operands[0]);
  return cast(scalar_name(type), binary(std::move(left), op, side(e.operands[1])), type);
}

Expr Desugarer::power(const TExpr& e) {
  const TExpr &base = e.operands[0], &exponent = e.operands[1];
  if (ir::is_real(e.type.scalar)) {
    Expr of = as_double(expr(base));
    return rounded(call("pow", {std::move(of), as_double(expr(exponent))}), e.type.scalar);
  }
  const bool written = base.kind == TExprKind::literal || base.kind == TExprKind::convert;
  if (values_.integer(base) != 2 || !written) {
    Expr of = expr(base);
    return exact(call("power", {std::move(of), expr(exponent)}, int64), e.type.scalar);
  }
  Expr by = expr(exponent);
  if (!context_->host && values_.fits_int(e) && values_.bounds(exponent).low >= 0)
    return binary(integer(1), "<<", std::move(by), int32);
  return exact(call("two_to", {std::move(by)}, int64), e.type.scalar);
}

Expr Desugarer::operation(const TExpr& e) {
  using enum ir::Opcode;
  switch (e.op) {
  case add: return expects_overflow(e) ? wrapping("+", e) : arithmetic("+", e);
  case sub: return expects_overflow(e) ? wrapping("-", e) : arithmetic("-", e);
  case mul: return expects_overflow(e) ? wrapping("*", e) : arithmetic("*", e);
  case ir::Opcode::pow: return power(e);
  case neg: return unary("-", exact(e.operands[0]));
  default: return ir::is_real(e.type.scalar) ? real_operation(e) : integer_operation(e);
  }
}

Expr Desugarer::integer_operation(const TExpr& e) {
  using enum ir::Opcode;
  const ir::Scalar type = e.type.scalar;
  switch (e.op) {
  case ir::Opcode::div:
    return values_.may_overflow(e) ? call_with_operands("quotient_of", e) : arithmetic("/", e);
  case rem:
    return values_.may_overflow(e) ? call_with_operands("remainder_of", e) : arithmetic("%", e);
  case bit_not: return unary(type == boolean ? "!" : "~", exact(e.operands[0]));
  case bit_and: return arithmetic("&", e);
  case bit_or: return arithmetic("|", e);
  case bit_xor: return arithmetic("^", e);
  case shl: return arithmetic("<<", e);
  case shr: return arithmetic(">>", e);
  case ir::Opcode::mod: return call_with_operands("mod", e);
  case ir::Opcode::min: return call_with_operands("min", e);
  case ir::Opcode::max: return call_with_operands("max", e);
  case ir::Opcode::abs: return call_with_operands("magnitude", e, scalar_name(type));
  case ir::Opcode::log2: return cuda::call("floor_log2", {expr(e.operands[0])}, int32);
  case ceil_div: return call_with_operands("ceil_div", e);
  case mulmod:
  case invmod: {
    Expr made = call_with_operands(e.op == mulmod ? "mulmod" : "invmod", e);
    made.type = int64;
    return exact(std::move(made), type);
  }
  default:
    unsupported(e.span, fmt::format("the operation {}", ir::mnemonic(e.op)), {});
    return integer(0);
  }
}

Expr Desugarer::real_operation(const TExpr& e) {
  using enum ir::Opcode;
  const ir::Scalar type = e.type.scalar;
  // Of floats, these have one right result: that of double, rounded, is no other.
  const auto by_own = [&](const char* function) {
    return call_with_operands(std::string(function) + (type == float32 ? "f" : ""), e);
  };
  const auto by_double = [&](const char* function) {
    return rounded(cuda::call(function, {as_double(expr(e.operands[0]))}), type);
  };
  switch (e.op) {
  case ir::Opcode::div: return arithmetic("/", e);
  case rem: return by_own("fmod");
  case ir::Opcode::mod: return call_with_operands("real_mod", e);
  case ir::Opcode::min: return call_with_operands("least", e);
  case ir::Opcode::max: return call_with_operands("greatest", e);
  case ir::Opcode::abs: return by_own("fabs");
  case ir::Opcode::sqrt: return by_own("sqrt");
  case ir::Opcode::log2: return by_double("log2");
  case ir::Opcode::sin: return by_double("sin");
  case ir::Opcode::cos: return by_double("cos");
  case ir::Opcode::exp: return by_double("exp");
  case ceil_div: {
    Expr dividend = as_double(expr(e.operands[0]));
    return cast(scalar_name(type),
                cuda::call("ceil", {std::move(dividend) / as_double(expr(e.operands[1]))}), type);
  }
  default: return integer_operation(e);
  }
}

Expr Desugarer::comparison(const TExpr& e) {
  using enum ir::Opcode;
  const TExpr &a = e.operands[0], &b = e.operands[1];
  Expr left = expr(a), right = expr(b);
  if (a.type.is_record()) {
    Expr same = binary(std::move(left), "==", std::move(right), boolean);
    return e.op == ne ? unary("!", std::move(same)) : same;
  }
  const ir::Scalar type = a.type.scalar;
  if (ir::is_real(type) && left.type != type && right.type != type)
    left = exact(std::move(left), type, &a);
  const char* op = e.op == eq ? "==" : e.op == ne ? "!=" : e.op == lt ? "<" : "<=";
  // As it was written: the checker turns > and >= round.
  if (a.span.known() && a.span.file == b.span.file && b.span.end <= a.span.begin &&
      (e.op == lt || e.op == le)) {
    std::swap(left, right);
    op = e.op == lt ? ">" : ">=";
  }
  return binary(std::move(left), op, std::move(right), boolean);
}

} // namespace memlane::cuda
