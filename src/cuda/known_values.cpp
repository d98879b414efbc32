#include "known_values.hpp"

#include "memlane/ir/arithmetic.hpp"

#include <algorithm>

namespace memlane::cuda {

using lang::TExpr;
using lang::TExprKind;

namespace {

/// What counts (configs/README.md, section 6) has a value too: the emitted text only uses the
/// value.
constexpr lang::EvaluationRules emission_rules = {lang::folding_rules.most_steps, true, false,
                                                  false};

} // namespace

KnownValues::KnownValues(const lang::Checked& checked, const lang::Bindings& bindings,
                         const ir::Program& lowered)
    : checked_(checked), bindings_(bindings), evaluator_(checked, *this, emission_rules) {
  for (const ir::Constant& constant : lowered.constants) named_[constant.name] = constant.value;
}

void KnownValues::know_only(const std::set<lang::SymbolId>& params,
                            const std::set<lang::SymbolId>& consts) {
  params_ = params, consts_ = consts, all_known_ = false;
  evaluator_ = lang::Evaluator(checked_, *this, emission_rules);
}

std::optional<ir::Value> KnownValues::value(const TExpr& expr) {
  if (expr.type.is_record()) return std::nullopt;
  const auto known = evaluator_.value(expr);
  return known ? std::optional(known->word()) : std::nullopt;
}

std::optional<std::int64_t> KnownValues::integer(const TExpr& expr) {
  const std::optional<ir::Value> known = value(expr);
  if (!known || !ir::is_integer(expr.type.scalar)) return std::nullopt;
  return known->integer();
}

lang::Evaluation KnownValues::param(lang::SymbolId id) {
  const lang::ParamSymbol& symbol = checked_.param(id);
  const auto found = named_.find(symbol.name);
  if (found != named_.end() && (all_known_ || params_.count(id) > 0))
    return lang::Evaluated{found->second};
  return lang::NoValue{error_at(symbol.span, "a parameter of the run")};
}

lang::Evaluation KnownValues::letter(const TExpr& e) {
  const auto found = bindings_.letters.find(e.text);
  if (found != bindings_.letters.end()) return lang::Evaluated{ir::Value::of(found->second)};
  return lang::NoValue{error_at(e.span, "the machine has no " + e.text)};
}

std::optional<lang::Evaluated> KnownValues::variable(lang::SymbolId id) {
  const auto found = bound_.find(id);
  if (found == bound_.end() || !found->second) return std::nullopt;
  return lang::Evaluated{*found->second};
}

void KnownValues::add_parameters(const TExpr& expr, std::set<lang::SymbolId>& params) const {
  lang::each_part(expr, [&](const TExpr& part) {
    if (part.kind == TExprKind::param) params.insert(part.symbol);
    if (part.kind != TExprKind::constant && part.kind != TExprKind::lookup) return;
    const lang::ConstSymbol& constant = checked_.constant(part.symbol);
    for (const TExpr& extent : constant.extents) add_parameters(extent, params);
    for (const TExpr& value : constant.values) add_parameters(value, params);
  });
}

bool draws(const TExpr& expr) {
  return lang::contains(expr, [](const TExpr& part) { return part.kind == TExprKind::random; });
}

} // namespace memlane::cuda
