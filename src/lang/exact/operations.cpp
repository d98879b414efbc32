#include "memlane/lang/exact/operations.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace memlane::exact {

namespace {

Outcome give(Number number) { return {std::move(number)}; }

Outcome none(std::string problem) { return {std::nullopt, std::move(problem)}; }

Outcome too_many_bits() { return none(fmt::format("a number of more than {} bits", most_bits)); }

/// A result that may be irrational: of `what`, nearest to the double.
Outcome real(Number number, double nearest, std::string what) {
  if (number.rational()) return give(std::move(number));
  return {std::move(number), {}, std::move(what), nearest};
}

/// The whole root-th root of a whole number, if it has one that a double holds.
std::optional<Number> whole_root(const Number& a, std::int64_t root) {
  if (!a.is_integer() || root > 64) return std::nullopt;
  const double guess = std::round(std::pow(a.to_double(), 1.0 / static_cast<double>(root)));
  if (!std::isfinite(guess) || guess > 9e15) return std::nullopt;
  const Number candidate(static_cast<std::int64_t>(guess));
  const auto back = power(candidate, root);
  return back && *back == a ? std::optional(candidate) : std::nullopt;
}

Outcome raise_to_whole(const Number& a, const Number& exponent) {
  const bool trivial = a.is_integer() && (a == Number(0) || a == Number(1) || a == Number(-1));
  // Of a huge exponent only its parity matters where the result stays small.
  const auto small = exponent.small();
  const auto result = small     ? power(a, *small)
                      : trivial ? power(a, exponent.numerator() % 2 == 0 ? 2 : 1)
                                : std::nullopt;
  return result ? give(*result) : too_many_bits();
}

Outcome raise(bool whole, const Number& a, const Number& exponent) {
  if (whole && exponent.sign() < 0) return none("negative power of an integer");
  if (a.sign() == 0 && exponent.sign() < 0) return none("division by zero");
  if (exponent.is_integer()) return raise_to_whole(a, exponent);
  if (a.sign() < 0) return none(fmt::format("({})^({})", a.brief(), exponent.brief()));
  if (a.sign() == 0) return give(Number(0));
  const auto times = exponent.rational() ? Number(exponent.numerator()).small() : std::nullopt;
  const auto of = exponent.rational() ? Number(exponent.denominator()).small() : std::nullopt;
  if (times && of)
    if (const auto root = whole_root(a, *of))
      if (const auto result = power(*root, *times)) return give(*result);
  return real(real_power(a, exponent), std::pow(a.to_double(), exponent.to_double()),
              a.brief() + "^(" + exponent.brief() + ")");
}

Outcome remainder(const Number& a, const Number& b, bool floored) {
  if (b.sign() == 0) return none("division by zero");
  const Number quotient = a / b;
  return give(a - b * (floored ? floor(quotient) : truncate(quotient)));
}

/// Operators on bits; `symbol` as the program writes them.
Outcome on_bits(std::string_view symbol, const Number& a, const Number& b) {
  const auto x = a.small(), y = b.small();
  if (!x || !y) return none(fmt::format("{} needs integers of 64 bits", symbol));
  if (symbol == "&") return give(Number(*x & *y));
  if (symbol == "|") return give(Number(*x | *y));
  if (symbol == "xor") return give(Number(*x ^ *y));
  const auto scale = *y >= 0 ? power(Number(2), *y) : std::nullopt;
  if (!scale) return none("a shift by " + b.brief());
  return give(symbol == "<<" ? a * *scale : floor(a / *scale));
}

/// Of two numbers, the one that `greatest` says.
Outcome extreme(const Number& a, const Number& b, bool greatest) {
  const std::partial_ordering order = b <=> a;
  if (order == std::partial_ordering::unordered) return none(undecided);
  return give((greatest ? order > 0 : order < 0) ? b : a);
}

} // namespace

Outcome apply(ir::Opcode op, bool whole, const Number& a, const Number& b, const Number& c) {
  switch (static_cast<ir::ArithmeticOpcode>(op)) {
  case ir::ArithmeticOpcode::add: return give(a + b);
  case ir::ArithmeticOpcode::sub: return give(a - b);
  case ir::ArithmeticOpcode::mul: return give(a * b);
  case ir::ArithmeticOpcode::div:
    if (b.sign() == 0) return none("division by zero");
    return give(whole ? truncate(a / b) : a / b);
  case ir::ArithmeticOpcode::ceil_div:
    if (b.sign() == 0) return none("division by zero");
    return give(ceil(a / b));
  case ir::ArithmeticOpcode::rem: return remainder(a, b, false);
  case ir::ArithmeticOpcode::mod: return remainder(a, b, true);
  case ir::ArithmeticOpcode::mulmod: return remainder(a * b, c, true);
  case ir::ArithmeticOpcode::pow: return raise(whole, a, b);
  case ir::ArithmeticOpcode::neg: return give(a * Number(-1));
  case ir::ArithmeticOpcode::abs: return give(a.sign() < 0 ? a * Number(-1) : a);
  case ir::ArithmeticOpcode::min: return extreme(a, b, false);
  case ir::ArithmeticOpcode::max: return extreme(a, b, true);
  case ir::ArithmeticOpcode::log2:
    if (a.sign() <= 0) return none("log2(" + a.brief() + ")");
    if (whole) return give(floor_log2(a));
    return real(log2(a), log2_double(a), "log2(" + a.brief() + ")");
  case ir::ArithmeticOpcode::sqrt:
    if (a.sign() < 0) return none("sqrt(" + a.brief() + ")");
    return real(sqrt(a), std::sqrt(a.to_double()), "sqrt(" + a.brief() + ")");
  case ir::ArithmeticOpcode::bit_not:
    if (!a.is_integer()) return none("~ of " + a.brief() + ", no integer");
    return give(a * Number(-1) - Number(1));
  case ir::ArithmeticOpcode::bit_and: return on_bits("&", a, b);
  case ir::ArithmeticOpcode::bit_or: return on_bits("|", a, b);
  case ir::ArithmeticOpcode::bit_xor: return on_bits("xor", a, b);
  case ir::ArithmeticOpcode::shl: return on_bits("<<", a, b);
  case ir::ArithmeticOpcode::shr: return on_bits(">>", a, b);
  case ir::ArithmeticOpcode::invmod: // these are not for formulas
  case ir::ArithmeticOpcode::iterations:
  case ir::ArithmeticOpcode::sin:
  case ir::ArithmeticOpcode::cos:
  case ir::ArithmeticOpcode::exp: break;
  }
  return none("an operation that exact numbers do not have");
}

std::string problem_with(const Number& number) {
  if (number.too_large()) return too_many_bits().problem;
  if (number.exact()) return "";
  if (std::isnan(number.to_double())) return undecided;
  if (std::isinf(number.to_double())) return "a number beyond the range of double";
  return "";
}

} // namespace memlane::exact
