// Random numbers, which host code and initial values draw: the same ones, in the same order.
#include "desugar.hpp"

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

/// Evaluates what draws in a statement before; gives a variable with its value.
TExpr Desugarer::drawn_first(const TExpr& e, Block& out) {
  if (!draws(e)) return e;
  TExpr stands;
  stands.kind = TExprKind::variable;
  stands.type = e.type;
  stands.span = e.span;
  stands.symbol = SymbolId(checked_.variables.size() + added_variables_.size());
  added_variables_.push_back({"", e.span, e.type});
  const std::string own = numbered("part");
  variables_[stands.symbol] = keep(out, names_.type(e.type), own, expr(e));
  variables_[stands.symbol].type = e.type.scalar;
  return stands;
}

/// C++ leaves the order of operands open; the order of draws matters.
Expr Desugarer::in_order(const TExpr& e) {
  TExpr last = e;
  Function all;
  for (TExpr& operand : last.operands) operand = drawn_first(operand, all.body);
  all.body.push_back(simple(Statement::return_, expr(last)));
  return call(lambda(std::move(all)), {}, e.type.scalar);
}

bool Desugarer::draws_in_several(const std::vector<TExpr>& operands) {
  return std::count_if(operands.begin(), operands.end(), draws) > 1;
}

ArraySlice Desugarer::drawn_first(ArraySlice slice, Block& out) {
  for (TExpr& lead : slice.lead) lead = drawn_first(lead, out);
  for (TExpr& bound : slice.range) bound = drawn_first(bound, out);
  return slice;
}

/// A call or launch whose arguments draw, in their order, before it; nothing if C++ has the order.
std::optional<TStatement> Desugarer::drawn_first(const TStatement& s, Block& out) {
  int drawing = 0;
  each_expression(s, [&](const TExpr& e) { drawing += draws(e) ? 1 : 0; });
  const bool sliced = std::any_of(s.actuals.begin(), s.actuals.end(), [](const TActual& actual) {
    if (!actual.array) return false;
    const ArraySlice& slice = *actual.array;
    return std::any_of(slice.lead.begin(), slice.lead.end(), draws) ||
           std::any_of(slice.range.begin(), slice.range.end(), draws);
  });
  if (drawing < 2 && !sliced) return std::nullopt;
  TStatement own = s;
  for (TActual& actual : own.actuals) {
    if (actual.value) actual.value = drawn_first(*actual.value, out);
    if (actual.array) actual.array = drawn_first(*actual.array, out);
  }
  if (own.blocks) own.blocks = drawn_first(*own.blocks, out);
  if (own.threads) own.threads = drawn_first(*own.threads, out);
  return own;
}

Expr Desugarer::random(const TExpr& e) {
  const Expr site = integer(e.symbol);
  Expr low = exact(e.operands[0]), high = exact(e.operands[1]);
  std::vector<Expr> arguments = {site, std::move(low), std::move(high)};
  if (random_array_ >= 0)
    arguments = {integer(random_array_), site, named("index"), arguments[1], arguments[2]};
  return call_of(random_array_ < 0 ? "random_draw" : "random_element", scalar_name(e.type.scalar),
                 std::move(arguments), e.type.scalar);
}

} // namespace memlane::cuda
