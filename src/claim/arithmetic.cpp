// Operators and functions of claims.
#include "evaluator.hpp"
#include "names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memlane::claims {

namespace {

/// The whole root-th root of a whole number, if it has one that a double holds.
std::optional<Number> whole_root(const Number& a, std::int64_t root) {
  if (!a.is_integer() || root > 64) return std::nullopt;
  const double guess = std::round(std::pow(a.to_double(), 1.0 / static_cast<double>(root)));
  if (!std::isfinite(guess) || guess > 9e15) return std::nullopt;
  const Number candidate(static_cast<std::int64_t>(guess));
  const auto back = power(candidate, root);
  return back && *back == a ? std::optional(candidate) : std::nullopt;
}

} // namespace

Evaluator::Answer Evaluator::logarithm(const Number& a) {
  if (a.sign() <= 0) return fail(not_evaluated("log2(" + a.brief() + ")"));
  return give_real(log2(a), log2_double(a), "log2(" + a.brief() + ")");
}

Evaluator::Answer Evaluator::root(const Number& a) {
  if (a.sign() < 0) return fail(not_evaluated("sqrt(" + a.brief() + ")"));
  return give_real(sqrt(a), std::sqrt(a.to_double()), "sqrt(" + a.brief() + ")");
}

// floor and ceil of a logarithm are whole numbers even where it is irrational.
Evaluator::Answer Evaluator::rounded(const lang::Expr& operand, bool up) {
  const FunctionEntry* inner = operand.kind == lang::ExprKind::call &&
                                       operand.operands.size() == 1 &&
                                       !find_fn(program_, operand.name)
                                   ? find_function(program_, operand.name)
                                   : nullptr;
  if (inner && inner->function == Function::log2) {
    const auto a = number(operand.operands[0]);
    if (!a) return std::nullopt;
    if (a->sign() <= 0) return fail(not_evaluated("log2(" + a->brief() + ")"));
    return give(up ? ceil_log2(*a) : floor_log2(*a));
  }
  const auto a = number(operand);
  if (!a) return std::nullopt;
  return give(up ? ceil(*a) : floor(*a));
}

Evaluator::Answer Evaluator::remainder(const Number& a, const Number& b, bool floored) {
  if (b.sign() == 0) return fail(not_evaluated("division by zero"));
  const Number quotient = a / b;
  return give(a - b * (floored ? floor(quotient) : truncate(quotient)));
}

Evaluator::Answer Evaluator::raise(const Number& a, const Number& exponent) {
  if (a.sign() == 0 && exponent.sign() < 0) return fail(not_evaluated("division by zero"));
  const bool whole = exponent.is_integer();
  if (whole) {
    const bool trivial = a.is_integer() && (a == Number(0) || a == Number(1) || a == Number(-1));
    // Of a huge exponent only its parity matters where the result stays small.
    const auto small = exponent.small();
    const auto result = small     ? power(a, *small)
                        : trivial ? power(a, exponent.numerator() % 2 == 0 ? 2 : 1)
                                  : std::nullopt;
    if (result) return give(*result);
    return fail(
        not_evaluated("a number of more than " + std::to_string(exact::most_bits) + " bits"));
  }
  if (a.sign() < 0)
    return fail(not_evaluated(fmt::format("({})^({})", a.brief(), exponent.brief())));
  if (a.sign() == 0) return give(Number(0));
  const auto times = exponent.rational() ? Number(exponent.numerator()).small() : std::nullopt;
  const auto of = exponent.rational() ? Number(exponent.denominator()).small() : std::nullopt;
  if (times && of)
    if (const auto root = whole_root(a, *of))
      if (const auto result = power(*root, *times)) return give(*result);
  return give_real(real_power(a, exponent), std::pow(a.to_double(), exponent.to_double()),
                   a.brief() + "^(" + exponent.brief() + ")");
}

Evaluator::Answer Evaluator::bits(lang::BinaryOp op, const Number& a, const Number& b) {
  const auto x = a.small();
  const auto y = b.small();
  if (!x || !y)
    return fail(not_evaluated(std::string(spelling(op)) + " needs integers of 64 bits"));
  if (op == lang::BinaryOp::bit_and) return give(Number(*x & *y));
  if (op == lang::BinaryOp::bit_or) return give(Number(*x | *y));
  if (op == lang::BinaryOp::bit_xor) return give(Number(*x ^ *y));
  const auto scale = *y >= 0 ? power(Number(2), *y) : std::nullopt;
  if (!scale) return fail(not_evaluated("a shift by " + b.brief()));
  return give(op == lang::BinaryOp::shl ? a * *scale : floor(a / *scale));
}

Evaluator::Answer Evaluator::binary(const lang::Expr& expr) {
  using lang::BinaryOp;
  const auto a = number(expr.operands[0]);
  if (!a) return std::nullopt;
  const auto b = number(expr.operands[1]);
  if (!b) return std::nullopt;
  switch (expr.op) {
  case BinaryOp::add: return give(*a + *b);
  case BinaryOp::sub: return give(*a - *b);
  case BinaryOp::mul: return give(*a * *b);
  case BinaryOp::div:
    if (b->sign() == 0) return fail(not_evaluated("division by zero"));
    return give(*a / *b);
  case BinaryOp::rem: return remainder(*a, *b, false);
  case BinaryOp::pow: return raise(*a, *b);
  case BinaryOp::bit_or:
  case BinaryOp::bit_xor:
  case BinaryOp::bit_and:
  case BinaryOp::shl:
  case BinaryOp::shr: return bits(expr.op, *a, *b);
  }
  return fail(not_evaluated("an operator that claims do not have"));
}

Evaluator::Answer Evaluator::extreme(const std::vector<Number>& numbers, bool greatest) {
  const Number* best = &numbers.front();
  for (const Number& number : numbers) {
    const std::partial_ordering order = number <=> *best;
    if (order == std::partial_ordering::unordered) return fail(not_evaluated(undecided));
    if (greatest ? order > 0 : order < 0) best = &number;
  }
  return give(*best);
}

Evaluator::Answer Evaluator::call(const lang::Expr& expr) {
  if (const lang::FnDecl* declared = find_fn(program_, expr.name)) return fn(*declared, expr);
  const FunctionEntry* entry = find_function(program_, expr.name);
  if (!entry) return fail(not_evaluated("'" + expr.name + "' is no function of claims"));
  if (expr.operands.size() < entry->least || expr.operands.size() > entry->most)
    return fail(not_evaluated("'" + expr.name + "' with a wrong number of arguments"));
  if (entry->function == Function::floor || entry->function == Function::ceil)
    return rounded(expr.operands[0], entry->function == Function::ceil);

  std::vector<Number> a;
  for (const lang::Expr& operand : expr.operands) {
    const auto value = number(operand);
    if (!value) return std::nullopt;
    a.push_back(*value);
  }
  switch (entry->function) {
  case Function::min: return extreme(a, false);
  case Function::max: return extreme(a, true);
  case Function::abs: return give(a[0].sign() < 0 ? a[0] * Number(-1) : a[0]);
  case Function::log2: return logarithm(a[0]);
  case Function::sqrt: return root(a[0]);
  case Function::ceil_div:
    if (a[1].sign() == 0) return fail(not_evaluated("division by zero"));
    return give(ceil(a[0] / a[1]));
  case Function::mod: return remainder(a[0], a[1], true);
  case Function::mulmod: return remainder(a[0] * a[1], a[2], true);
  case Function::is_pow2: return give(is_pow2(a[0]));
  case Function::to_integer: return give(truncate(a[0]));
  case Function::to_real: return give(a[0]);
  case Function::floor:
  case Function::ceil: break; // above
  }
  return fail(not_evaluated("a function that claims do not have"));
}

} // namespace memlane::claims
