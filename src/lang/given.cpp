#include "given.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <variant>

namespace memlane::lang {
namespace {

using Number = std::variant<bool, std::int64_t, double>;

double real(const Number& n) {
  return std::visit([](auto v) { return static_cast<double>(v); }, n);
}

Result<Number> overflow(Span span) { return error_at(span, "the value does not fit 64 bits"); }

Result<Number> power(std::int64_t base, std::int64_t exponent, Span span) {
  if (exponent < 0) return error_at(span, "a negative exponent in an integer power");
  std::int64_t result = 1;
  for (std::int64_t i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(result, base, &result)) return overflow(span);
    if (result == 0 || result == 1) break; // 0 and 1 stay; -1 alternates and is settled below
  }
  if (base == -1) result = exponent % 2 == 0 ? 1 : -1;
  return Number{result};
}

Result<Number> integers(BinaryOp op, std::int64_t a, std::int64_t b, Span span) {
  std::int64_t r = 0;
  switch (op) {
  case BinaryOp::add: return __builtin_add_overflow(a, b, &r) ? overflow(span) : Number{r};
  case BinaryOp::sub: return __builtin_sub_overflow(a, b, &r) ? overflow(span) : Number{r};
  case BinaryOp::mul: return __builtin_mul_overflow(a, b, &r) ? overflow(span) : Number{r};
  case BinaryOp::div:
  case BinaryOp::rem:
    if (b == 0) return error_at(span, "division by zero");
    if (b == -1)
      return op == BinaryOp::rem ? Number{std::int64_t{0}} : integers(BinaryOp::sub, 0, a, span);
    return Number{op == BinaryOp::div ? a / b : a % b};
  case BinaryOp::pow: return power(a, b, span);
  default: return error_at(span, "a given value may use + - * / % ^ only");
  }
}

Result<Number> reals(BinaryOp op, double a, double b, Span span) {
  switch (op) {
  case BinaryOp::add: return Number{a + b};
  case BinaryOp::sub: return Number{a - b};
  case BinaryOp::mul: return Number{a * b};
  case BinaryOp::div: return Number{a / b};
  case BinaryOp::pow: return Number{std::pow(a, b)};
  default: return error_at(span, "a given value may use + - * / % ^ only");
  }
}

Result<Number> evaluate(const Expr& expr, const GivenNames& names) {
  switch (expr.kind) {
  case ExprKind::integer: return Number{expr.integer};
  case ExprKind::real: return Number{expr.real};
  case ExprKind::boolean: return Number{expr.integer != 0};
  case ExprKind::name: {
    auto value = names(expr.name);
    if (!value)
      return error_at(expr.span, fmt::format("'{}' is no number here", expr.name),
                      {"a value is a number, true or false, or an expression over "
                       "earlier parameters and the machine's letters"});
    return *value == std::floor(*value) && std::fabs(*value) < 9e15
               ? Number{static_cast<std::int64_t>(*value)}
               : Number{*value};
  }
  case ExprKind::negate: {
    auto v = evaluate(expr.operands[0], names);
    if (!v) return v;
    if (auto* i = std::get_if<std::int64_t>(&*v)) return integers(BinaryOp::sub, 0, *i, expr.span);
    return Number{-real(*v)};
  }
  case ExprKind::binary: {
    auto a = evaluate(expr.operands[0], names);
    if (!a) return a;
    auto b = evaluate(expr.operands[1], names);
    if (!b) return b;
    auto* i = std::get_if<std::int64_t>(&*a);
    auto* j = std::get_if<std::int64_t>(&*b);
    return i && j ? integers(expr.op, *i, *j, expr.span)
                  : reals(expr.op, real(*a), real(*b), expr.span);
  }
  default:
    return error_at(expr.span,
                    "a given value is a number, true or false, or an expression over + - * / % ^");
  }
}

} // namespace

Result<ir::Value> given_value(const Expr& expr, ir::Scalar type, const std::string& param,
                              const GivenNames& names) {
  auto number = evaluate(expr, names);
  if (!number) return number.errors();
  auto wrong = [&](std::string_view reason,
                   std::vector<std::string> help = {}) -> Result<ir::Value> {
    return error_at(
        expr.span,
        fmt::format("parameter {} is {}: {}", param,
                    type == ir::Scalar::int32 ? "an int" : fmt::format("a {}", name_of(type)),
                    reason),
        std::move(help));
  };
  if (type == ir::Scalar::boolean) {
    if (auto* b = std::get_if<bool>(&*number)) return ir::Value::of(*b);
    return wrong("write true or false");
  }
  if (std::holds_alternative<bool>(*number)) return wrong("write a number");
  if (ir::is_real(type)) {
    double d = real(*number);
    return ir::Value::of(type == ir::Scalar::float32 ? static_cast<double>(static_cast<float>(d))
                                                     : d);
  }
  auto* i = std::get_if<std::int64_t>(&*number);
  if (!i) return wrong("write a whole number");
  if (type == ir::Scalar::int32 && (*i < std::numeric_limits<std::int32_t>::min() ||
                                    *i > std::numeric_limits<std::int32_t>::max()))
    return wrong(fmt::format("{} does not fit 32 bits", *i),
                 {fmt::format("the program can declare it long: param {}: long = …", param)});
  return ir::Value::of(*i);
}

} // namespace memlane::lang
