#include "define_value.hpp"

#include "checker.hpp"

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

} // namespace memlane::lang
