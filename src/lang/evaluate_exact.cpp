// Exact numbers: formulas of claims, and `-D` values before they are given a type.
#include "memlane/lang/evaluate.hpp"
#include "memlane/lang/exact/operations.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace memlane::lang {

using exact::Number;

Evaluator::Answer Evaluator::give(Span span, Number number) {
  if (const std::string problem = exact::problem_with(number); !problem.empty())
    return fail(span, problem);
  return Evaluated{std::move(number)};
}

/// A real one is the decimal number that is written, not the double nearest to it.
Evaluator::Answer Evaluator::exact_literal(const TExpr& e) {
  if (!std::isfinite(e.value.real())) return fail(e.span, "a number beyond the range of double");
  return give(e.span, Number::decimal(e.value.real()));
}

/// To whole numbers it truncates; all else keeps the value.
Evaluator::Answer Evaluator::exact_conversion(const TExpr& e) {
  const TExpr& operand = e.operands[0];
  Answer answer = value(operand);
  if (!answer) return std::nullopt;
  if (operand.type.exact) {
    if (is_exact_whole(e.type)) return give(e.span, exact::truncate(answer->number()));
    return answer;
  }
  const ir::Value word = answer->word();
  if (ir::is_integer(operand.type.scalar)) return Evaluated{Number(word.integer())};
  if (std::isfinite(word.real())) return Evaluated{Number::from_double(word.real())};
  const bool named = operand.kind == TExprKind::param || operand.kind == TExprKind::constant ||
                     operand.kind == TExprKind::lookup;
  if (!named) return fail(operand.span, "this is not a finite number");
  const bool param = operand.kind == TExprKind::param;
  const auto id = static_cast<std::size_t>(operand.symbol);
  return fail(operand.span,
              fmt::format("'{}' is not a finite number",
                          param ? checked_->params[id].name : checked_->consts[id].name));
}

Evaluator::Answer Evaluator::exact_operation(const TExpr& e, ir::Opcode op) {
  std::array<Number, 3> numbers;
  for (std::size_t i = 0; i < e.operands.size(); ++i) {
    const Answer operand = value(e.operands[i]);
    if (!operand) return std::nullopt;
    numbers.at(i) = operand->number();
  }
  const auto& [a, b, c] = numbers;
  if (e.kind == TExprKind::is_pow2) return Evaluated{ir::Value::of(exact::is_pow2(a))};
  if (e.kind == TExprKind::comparison) {
    const std::partial_ordering order = a <=> b;
    if (order == std::partial_ordering::unordered) return fail(e.span, exact::undecided);
    const bool holds = op == ir::Opcode::eq   ? order == 0
                       : op == ir::Opcode::ne ? order != 0
                       : op == ir::Opcode::lt ? order < 0
                                              : order <= 0;
    return Evaluated{ir::Value::of(holds)};
  }
  exact::Outcome outcome = exact::apply(op, is_exact_whole(e.type), a, b, c);
  if (!outcome.value) return fail(e.span, std::move(outcome.problem));
  if (outcome.irrational.empty()) return give(e.span, std::move(*outcome.value));
  if (irrational_.empty()) irrational_ = outcome.irrational + " is irrational";
  return give(e.span, rules.approximates ? Number::approximate(outcome.nearest)
                                         : std::move(*outcome.value));
}

/// floor and ceil. Those of a logarithm are known even where it is irrational.
Evaluator::Answer Evaluator::rounded(const TExpr& e) {
  const TExpr& operand = e.operands[0];
  const bool up = e.kind == TExprKind::ceiling;
  const bool logarithm = operand.kind == TExprKind::operation && operand.op == ir::Opcode::log2;
  const Answer answer = value(logarithm ? operand.operands[0] : operand);
  if (!answer) return std::nullopt;
  const Number& a = answer->number();
  if (!logarithm) return give(e.span, up ? exact::ceil(a) : exact::floor(a));
  if (a.sign() <= 0) return fail(e.span, "log2(" + a.brief() + ")");
  return give(e.span, up ? exact::ceil_log2(a) : exact::floor_log2(a));
}

} // namespace memlane::lang
