// Operators: the arithmetic of the language in that of C++.
#include "desugar.hpp"

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

/// Whether the exact result for these operands is beyond the range of a type.
template <class T>
bool overflows(ir::Opcode op, std::int64_t a, std::int64_t b) {
  using enum ir::Opcode;
  T result{};
  if (op == add) return __builtin_add_overflow(a, b, &result);
  if (op == sub) return __builtin_sub_overflow(a, b, &result);
  if (op == mul) return __builtin_mul_overflow(a, b, &result);
  return op == shl && b >= 0 && b < 64 && __builtin_mul_overflow(a, 1ull << b, &result);
}

Expr as_double(Expr e) { return cast("double", std::move(e), float64); }

/// What C++ computes as a double.
Expr rounded(Expr made, ir::Scalar type) {
  made.type = float64;
  return type == float32 ? cast("float", std::move(made), type) : made;
}

} // namespace

Expr Desugarer::arithmetic(const std::string& op, const TExpr& e) {
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
Expr Desugarer::wrapping(const std::string& op, const TExpr& e) {
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

/// Whether a compiler sees that the result is beyond the range of its type, and warns.
bool Desugarer::known_overflow(const TExpr& e) {
  if (!ir::is_integer(e.type.scalar) || e.operands.size() != 2) return false;
  const auto a = values_.integer(e.operands[0]), b = values_.integer(e.operands[1]);
  if (!a || !b) return false;
  return e.type.scalar == int32 ? overflows<std::int32_t>(e.op, *a, *b)
                                : overflows<std::int64_t>(e.op, *a, *b);
}

Expr Desugarer::operation(const TExpr& e) {
  using enum ir::Opcode;
  const bool real = ir::is_real(e.type.scalar);
  if (const Builtin* builtin = find_builtin(e.op)) return builtin_call(e, *builtin);
  if (e.op == ir::Opcode::pow) return power(e);
  if (e.op == neg) return unary("-", exact(e.operands[0]));
  if (e.op == bit_not) return unary(e.type.scalar == boolean ? "!" : "~", exact(e.operands[0]));
  if (e.op == rem && real) return call_by_type("fmod", e);
  if ((e.op == ir::Opcode::div || e.op == rem) && !real && values_.may_overflow(e))
    return call_with_operands(e.op == rem ? "remainder_of" : "quotient_of", e);
  const std::string sign(e.op == bit_xor ? "^" : spelling(e.op));
  return expects_overflow(e) || known_overflow(e) ? wrapping(sign, e) : arithmetic(sign, e);
}

/// A call on floats takes the function for floats.
Expr Desugarer::call_by_type(const std::string& function, const TExpr& e) {
  return call_with_operands(function + (e.type.scalar == float32 ? "f" : ""), e);
}

Expr Desugarer::builtin_call(const TExpr& e, const Builtin& builtin) {
  const ir::Scalar type = e.type.scalar;
  const std::string function(ir::is_real(type) ? builtin.cuda_reals : builtin.cuda);
  if (!ir::is_real(type)) {
    if (e.op == ir::Opcode::log2) return call(function, {expr(e.operands[0])}, int32);
    if (e.op == ir::Opcode::abs) return call_with_operands(function, e, scalar_name(type));
    Expr made = call_with_operands(function, e);
    if (e.op != ir::Opcode::mulmod && e.op != ir::Opcode::invmod) return made;
    made.type = int64;
    return exact(std::move(made), type);
  }
  if (builtin.cuda_form == CudaReals::overloaded) return call_with_operands(function, e);
  if (builtin.cuda_form == CudaReals::suffixed) return call_by_type(function, e);
  Expr value = as_double(expr(e.operands[0]));
  if (e.op != ir::Opcode::ceil_div) return rounded(call(function, {std::move(value)}), type);
  return cast(scalar_name(type),
              call(function, {std::move(value) / as_double(expr(e.operands[1]))}), type);
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
