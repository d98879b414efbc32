#include "define_value.hpp"

#include "checker.hpp"

#include "memlane/lang/walk.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace memlane::lang {

namespace {

/// A literal, for which the program is not needed; most values of a grid are literals.
bool is_number_or_truth(const Expr& value) {
  return value.kind == ExprKind::integer || value.kind == ExprKind::real ||
         value.kind == ExprKind::boolean;
}

} // namespace

Result<TExpr> check_defined_value(const Sources& sources, const Checked& checked, const Expr& value,
                                  const std::string& param) {
  if (is_number_or_truth(value)) return Checker(sources, Program()).defined_value(value, param);
  Checker checker(sources, checked.program);
  checker.take_names(checked);
  return checker.defined_value(value, param);
}

Result<ir::Value> fit_to_param(const Evaluated& value, Span span, const ParamSymbol& param) {
  const auto wrong = [&](std::string_view reason,
                         std::vector<std::string> help = {}) -> Result<ir::Value> {
    const bool is_int = param.type == ir::Scalar::int32;
    return error_at(span,
                    fmt::format("parameter {} is {}: {}", param.name,
                                is_int ? "an int" : fmt::format("a {}", ir::name_of(param.type)),
                                reason),
                    std::move(help));
  };
  const bool is_number = std::holds_alternative<exact::Number>(value.value);
  if (param.type == ir::Scalar::boolean && is_number) return wrong("write true or false");
  if (!is_number && param.type != ir::Scalar::boolean) return wrong("write a number");
  if (!is_number) return value.word();
  const exact::Number& number = value.number();
  if (ir::is_real(param.type)) {
    const double nearest =
        param.type == ir::Scalar::float32 ? double{number.to_float()} : number.to_double();
    if (!std::isfinite(nearest)) return wrong(number.brief() + " is beyond its range");
    return ir::Value::of(nearest);
  }
  if (!number.is_integer()) return wrong("write a whole number");
  const auto word = number.small();
  if (!word) return wrong(fmt::format("{} does not fit 64 bits", number.brief()));
  if (param.type == ir::Scalar::int32 && (*word < std::numeric_limits<std::int32_t>::min() ||
                                          *word > std::numeric_limits<std::int32_t>::max()))
    return wrong(fmt::format("{} does not fit 32 bits", *word),
                 {fmt::format("the program can declare it long: param {}: long = …", param.name)});
  return ir::Value::of(*word);
}

namespace {

/// An expression without names has no environment.
class NoNames : public Environment {
public:
  explicit NoNames(const Sources& sources) : sources_(sources) {}
  Evaluation param(SymbolId) override { return NoValue(); }
  Evaluation letter(const TExpr&) override { return NoValue(); }
  const Limits& limits() const override { return sources_.limits(); }

private:
  const Sources& sources_;
};

bool names_anything(const TExpr& typed) {
  return contains(typed, [](const TExpr& part) {
    return part.kind == TExprKind::param || part.kind == TExprKind::constant ||
           part.kind == TExprKind::letter || part.kind == TExprKind::lookup;
  });
}

TExpr fitted_literal(const ParamSymbol& param, ir::Value value, Span span) {
  TExpr literal = node(TExprKind::literal, scalar_type(param.type), span);
  literal.value = value;
  return literal;
}

} // namespace

const ParamSymbol* find_param(const Checked& program, std::string_view name) {
  for (const ParamSymbol& param : program.params)
    if (param.name == name) return &param;
  return nullptr;
}

bool is_fitted(const TExpr& checked) {
  return checked.kind == TExprKind::literal && !checked.type.exact;
}

Result<TExpr> check_param_value(const Sources& sources, const Checked& program,
                                const ParamSymbol& param, const Expr& value) {
  Result<TExpr> typed = check_defined_value(sources, program, value, param.name);
  if (!typed || names_anything(*typed)) return typed;
  NoNames nothing(sources);
  Evaluator evaluator(program, nothing, {});
  const auto exact = evaluator.value(*typed);
  if (!exact) return evaluator.problem().reason;
  const Result<ir::Value> fitted = fit_to_param(*exact, typed->span, param);
  if (!fitted) return fitted.errors();
  return fitted_literal(param, *fitted, typed->span);
}

Result<TExpr> whole_param_value(const ParamSymbol& param, std::int64_t value, Span span) {
  const Result<ir::Value> fitted = fit_to_param({exact::Number(value)}, span, param);
  if (!fitted) return fitted.errors();
  return fitted_literal(param, *fitted, span);
}

Result<std::int64_t> whole_number_of(const Sources& sources, const Expr& value,
                                     std::string_view what) {
  const Checked nothing;
  const Result<TExpr> typed = check_defined_value(sources, nothing, value, std::string(what));
  if (!typed) return typed.errors();
  if (names_anything(*typed))
    return error_at(typed->span, fmt::format("{} depends on the machine", what));
  NoNames names(sources);
  Evaluator evaluator(nothing, names, {});
  const auto number = evaluator.value(*typed);
  if (!number) return evaluator.problem().reason;
  const auto* exact = std::get_if<exact::Number>(&number->value);
  if (!exact || !exact->is_integer())
    return error_at(typed->span, fmt::format("{} must be a whole number", what));
  if (const auto small = exact->small()) return *small;
  return error_at(typed->span, fmt::format("{} does not fit 64 bits", what));
}

Result<TExpr> check_condition(const Sources& sources, const Checked& program,
                              const Expr& condition) {
  Checker checker(sources, program.program);
  checker.take_names(program);
  return checker.condition_of_runs(condition);
}

} // namespace memlane::lang
