// Comparisons and their chains. The checked tree has eq, ne, lt and le only; a comparison that is
// turned around keeps the order of its requests, left to right.
#include "checker.hpp"

#include <algorithm>

namespace memlane::lang {

using ir::Opcode;

/// Moves an expression into a variable of `binder`, a fn_call without a fn, and returns the
/// variable.
TExpr Checker::bind(TExpr e, TExpr& binder) {
  TExpr variable = node(TExprKind::variable, e.type, e.span, {},
                        new_variable("(" + text(e.span) + ")", e.span, e.type, false));
  binder.bindings.push_back({variable.symbol, std::move(e)});
  return variable;
}

Typed Checker::comparison(const Expr& e) {
  const Depth depth(*this, e.span, e.comparisons.size());
  if (!depth) return std::nullopt;
  if (auto layout = layout_comparison(e)) return *layout;
  auto operands = arguments(e);
  if (!operands) return std::nullopt;
  TExpr first = std::move(operands->front());
  return chain(e, 0, std::move(first), *operands);
}

/// The comparisons of the chain from number `at` on, the first of them with `left`.
Typed Checker::chain(const Expr& e, std::size_t at, TExpr left, std::vector<TExpr>& operands) {
  TExpr right = std::move(operands[at + 1]);
  if (at + 1 == e.comparisons.size()) {
    return compare(e.comparisons[at], std::move(left), std::move(right), e.span);
  }
  TExpr binder = node(TExprKind::fn_call, bool_type, e.span);
  if (!is_at_hand(right.kind)) { // the middle is evaluated once, after its left side
    if (reads_arrays(left)) left = bind(std::move(left), binder);
    right = bind(std::move(right), binder);
  }
  Typed first = compare(e.comparisons[at], std::move(left), right, e.span);
  Typed rest = chain(e, at + 1, std::move(right), operands);
  if (!first || !rest) return std::nullopt;
  TExpr both = node(TExprKind::logical_and, bool_type, e.span,
                    operands_of(std::move(*first), std::move(*rest)));
  both.implied = true;
  if (binder.bindings.empty()) return both;
  binder.operands.push_back(std::move(both));
  return binder;
}

Typed Checker::compare(Comparison comparison, TExpr a, TExpr b, Span span) {
  const bool equality = comparison.op == Opcode::eq || comparison.op == Opcode::ne;
  if (is_number(a.type) && is_number(b.type)) {
    if (!unify({&a, &b})) return std::nullopt;
  } else if (!(a.type == b.type)) {
    return error(span, "this compares " + name_of(a.type) + " with " + name_of(b.type));
  } else if (!equality)
    return error(span, in_quotes(spelling(comparison)) + " compares numbers, these are " +
                           name_of(a.type));
  TExpr binder = node(TExprKind::fn_call, bool_type, span);
  if (comparison.turned) {
    if (reads_arrays(a) && reads_arrays(b)) a = bind(std::move(a), binder);
    std::swap(a, b);
  }
  TExpr result =
      node(TExprKind::comparison, bool_type, span, operands_of(std::move(a), std::move(b)));
  result.op = comparison.op;
  if (binder.bindings.empty()) return result;
  binder.operands.push_back(std::move(result));
  return binder;
}

} // namespace memlane::lang
