#include "memlane/claim/count_formula.hpp"

#include "environment.hpp"

#include "memlane/lang/evaluate.hpp"
#include "memlane/lang/parse.hpp"
#include "memlane/lang/values.hpp"
#include "memlane/lang/walk.hpp"

namespace memlane {

Result<CountFormula> read_count_formula(Sources& sources, const lang::Checked& checked,
                                        const std::string& option, const std::string& text) {
  const std::int32_t file = sources.add(option, text);
  const Result<lang::Expr> expr = lang::parse_expression(sources, file);
  if (!expr) return expr.errors();
  Result<lang::TExpr> typed = lang::check_number(sources, checked, *expr, claim_counts());
  if (!typed) {
    Diagnostics errors = typed.errors();
    errors.back().help.emplace_back("'memlane explain counts' lists the counts");
    return errors;
  }
  bool counts = false;
  CountFormula formula{text, std::move(*typed)};
  lang::each_part(formula.expr, [&](const lang::TExpr& part) {
    counts =
        counts || part.kind == lang::TExprKind::count || part.kind == lang::TExprKind::fn_count;
  });
  if (!counts)
    return error_at(formula.expr.span, "this names no count of a run",
                    {"name one: shared_stages, time, or KERNEL.shared_stages",
                     "'memlane explain counts' lists the counts"});
  const lang::ClaimFormulas alone{formula.expr, formula.expr, std::nullopt};
  formula.needs_pram = asks_for_pram(alone);
  formula.of_blocks = is_of_blocks(alone);
  return formula;
}

CountFormulaValue value_of(const CountFormula& formula, const lang::Checked& checked,
                           const ClaimInputs& inputs) {
  claims::ClaimEnvironment environment(checked, inputs);
  constexpr std::int64_t most_steps = 1'000'000; // fns may loop
  lang::Evaluator evaluator(checked, environment, {most_steps, true, false, true});
  const auto value = evaluator.value(formula.expr);
  if (!value) return {std::nullopt, evaluator.problem().reason.message};
  const exact::Number& number = value->number();
  return {ClaimValue{number.text(), number.to_double()}, {}};
}

} // namespace memlane
