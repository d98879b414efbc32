// Operators: the arithmetic of the language in that of C++.
#include "emitter.hpp"

#include <fmt/format.h>

namespace memlane::cuda {

using namespace lang;
using enum ir::Opcode;
using ir::Scalar::int32;
using ir::Scalar::int64;

namespace {

/// Whether a person would expect this to go beyond the range of its type, as hashes do.
bool expects_overflow(const TExpr& e) {
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

} // namespace

Code Emitter::binary(const char* op, Code::Level level, const TExpr& e) {
  Code left = expr(e.operands[0]);
  const Code right = expr(e.operands[1]);
  // The arithmetic is done in the node's type: one operand at least has to be of it. In kernels 32
  // bits do where they hold the operands and the result.
  const bool shifts = level == Code::shift;
  const bool narrow = e.type.scalar == int64 && left.type == int32 &&
                      (shifts || right.type == int32) && !function_->host && values_.fits_int(e);
  const ir::Scalar type = narrow ? int32 : e.type.scalar;
  if ((shifts || right.type != type) && left.type != type) left = exact(left, type, &e.operands[0]);
  const auto next = Code::Level(level + 1);
  // Where the rules of binding are little known, brackets help.
  const bool rare = level <= Code::bit_and || level == Code::shift;
  const auto side = [&](const Code& code, bool right_side) {
    if (rare) return bracketed(code, code.level == level && !right_side ? level : Code::unary);
    return bracketed(code, right_side ? next : level);
  };
  return {fmt::format("{} {} {}", side(left, false), op, side(right, true)), level, type};
}

/// The language's integers wrap around; C++'s unsigned ones do.
Code Emitter::wrapping(const char* op, const TExpr& e) {
  const bool wide = e.type.scalar == ir::Scalar::int64;
  const auto side = [&](const TExpr& operand) {
    const Code code = expr(operand);
    if (operand.kind == TExprKind::literal && operand.value.integer() >= 0)
      return std::to_string(operand.value.integer()) + (wide ? "ull" : "u");
    return wide ? fmt::format("(unsigned long long){}",
                              bracketed(exact(code, ir::Scalar::int64), Code::unary))
                : fmt::format("unsigned({})", code.text);
  };
  const std::string both = side(e.operands[0]) + " " + op + " " + side(e.operands[1]);
  return wide ? Code{fmt::format("(long long)({})", both), Code::unary, e.type.scalar}
              : Code{fmt::format("int({})", both), Code::primary, e.type.scalar};
}

Code Emitter::power(const TExpr& e) {
  if (ir::is_real(e.type.scalar)) {
    const std::string both = fmt::format("pow(double({}), double({}))", expr(e.operands[0]).text,
                                         expr(e.operands[1]).text);
    return e.type.scalar == ir::Scalar::float32
               ? Code{"float(" + both + ")", Code::primary, e.type.scalar}
               : Code{both, Code::primary, e.type.scalar};
  }
  const std::optional<std::int64_t> base = values_.integer(e.operands[0]);
  Code made;
  if (base == 2 &&
      (e.operands[0].kind == TExprKind::literal || e.operands[0].kind == TExprKind::convert)) {
    const Code exponent = expr(e.operands[1]);
    if (!function_->host && values_.fits_int(e) && values_.bounds(e.operands[1]).low >= 0)
      return {fmt::format("(1 << {})", bracketed(exponent, Code::unary)), Code::primary, int32};
    helpers_.insert("two_to");
    made = {fmt::format("two_to({})", expr(e.operands[1]).text), Code::primary, ir::Scalar::int64};
  } else {
    helpers_.insert("power");
    made = {fmt::format("power({}, {})", expr(e.operands[0]).text, expr(e.operands[1]).text),
            Code::primary, ir::Scalar::int64};
  }
  return e.type.scalar == ir::Scalar::int64 ? made : exact(made, e.type.scalar);
}

Code Emitter::operation(const TExpr& e) {
  const ir::Scalar type = e.type.scalar;
  const bool real = ir::is_real(type);
  if (draws_in_several(e.operands)) return in_order(e);
  const auto helper = [&](const char* name) {
    helpers_.insert(name);
    return call(name, e);
  };
  // Of floats, these have one right result: that of double, rounded, is no other.
  const auto by_own = [&](const char* name) {
    return call(std::string(name) + (type == ir::Scalar::float32 ? "f" : ""), e);
  };
  const auto by_double = [&](const char* name) {
    const std::string made = fmt::format("{}(double({}))", name, expr(e.operands[0]).text);
    return Code{type == ir::Scalar::float32 ? "float(" + made + ")" : made, Code::primary, type};
  };
  switch (e.op) {
  case add: return expects_overflow(e) ? wrapping("+", e) : binary("+", Code::sum, e);
  case sub: return expects_overflow(e) ? wrapping("-", e) : binary("-", Code::sum, e);
  case mul: return expects_overflow(e) ? wrapping("*", e) : binary("*", Code::product, e);
  case ir::Opcode::div:
    return !real && values_.may_overflow(e) ? helper("quotient_of") : binary("/", Code::product, e);
  case rem:
    if (!real)
      return values_.may_overflow(e) ? helper("remainder_of") : binary("%", Code::product, e);
    return by_own("fmod");
  case ir::Opcode::mod: return helper(real ? "real_mod" : "mod");
  case ir::Opcode::pow: return power(e);
  case neg: {
    const Code inner = exact(e.operands[0]);
    // Two signs side by side would be another operator.
    const bool sign = !inner.text.empty() && inner.text[0] == '-';
    return {"-" + (sign ? "(" + inner.text + ")" : bracketed(inner, Code::unary)), Code::unary,
            type};
  }
  case bit_not:
    return {(type == ir::Scalar::boolean ? "!" : "~") +
                bracketed(exact(e.operands[0]), Code::unary),
            Code::unary, type};
  case bit_and: return binary("&", Code::bit_and, e);
  case bit_or: return binary("|", Code::bit_or, e);
  case bit_xor: return binary("^", Code::bit_xor, e);
  case shl: return binary("<<", Code::shift, e);
  case shr: return binary(">>", Code::shift, e);
  case ir::Opcode::min: return real ? helper("least") : call("min", e);
  case ir::Opcode::max: return real ? helper("greatest") : call("max", e);
  case ir::Opcode::abs:
    if (real) return by_own("fabs");
    helpers_.insert("magnitude");
    return call(fmt::format("magnitude<{}>", scalar_name(type)), e);
  case ir::Opcode::log2:
    if (real) return by_double("log2");
    helpers_.insert("floor_log2");
    return {fmt::format("floor_log2({})", expr(e.operands[0]).text), Code::primary,
            ir::Scalar::int32};
  case ceil_div:
    if (!real) return helper("ceil_div");
    return {fmt::format("{}(ceil(double({}) / double({})))", scalar_name(type),
                        expr(e.operands[0]).text, expr(e.operands[1]).text),
            Code::primary, type};
  case mulmod:
  case invmod: {
    Code made = helper(e.op == mulmod ? "mulmod" : "invmod");
    made.type = ir::Scalar::int64;
    return type == ir::Scalar::int64 ? made : exact(made, type);
  }
  case ir::Opcode::sqrt: return by_own("sqrt");
  case ir::Opcode::sin: return by_double("sin");
  case ir::Opcode::cos: return by_double("cos");
  case ir::Opcode::exp: return by_double("exp");
  default: break;
  }
  unsupported(e.span, fmt::format("the operation {}", ir::mnemonic(e.op)), {});
  return known(0);
}

Code Emitter::comparison(const TExpr& e) {
  const TExpr &a = e.operands[0], &b = e.operands[1];
  if (draws_in_several(e.operands)) return in_order(e);
  const bool equality = e.op == eq || e.op == ne;
  const char* op = e.op == eq ? "==" : e.op == ne ? "!=" : e.op == lt ? "<" : "<=";
  if (a.type.is_record()) {
    return {fmt::format("{}({} == {})", e.op == ne ? "!" : "", text(a, Code::relation),
                        text(b, Code::relation)),
            e.op == ne ? Code::unary : Code::primary, ir::Scalar::boolean};
  }
  Code left = expr(a), right = expr(b);
  const ir::Scalar type = a.type.scalar;
  if (ir::is_real(type) && left.type != type && right.type != type) left = exact(left, type, &a);
  const Code::Level level = equality ? Code::equality : Code::relation;
  // As it was written: the checker turns > and >= round.
  if (a.span.known() && a.span.file == b.span.file && b.span.end <= a.span.begin && !equality) {
    std::swap(left, right);
    op = e.op == lt ? ">" : ">=";
  }
  return {fmt::format("{} {} {}", bracketed(left, Code::sum), op, bracketed(right, Code::sum)),
          level, ir::Scalar::boolean};
}

Code Emitter::logical(const TExpr& e) {
  const bool both = e.kind == TExprKind::logical_and;
  const Code left = expr(e.operands[0]), right = expr(e.operands[1]);
  const Code::Level own = both ? Code::conjunction : Code::disjunction;
  const auto side = [&](const Code& code) {
    if (code.level == own) return code.text; // both are associative
    return bracketed(code, Code::bit_or);
  };
  return {fmt::format("{} {} {}", side(left), both ? "&&" : "||", side(right)), own,
          ir::Scalar::boolean};
}

} // namespace memlane::cuda
