#include "memlane/lang/walk.hpp"

#include <algorithm>
#include <utility>

namespace memlane::lang {

void each_part(const TExpr& expr, const std::function<void(const TExpr&)>& visit) {
  visit(expr);
  for (const Binding& binding : expr.bindings) each_part(binding.value, visit);
  for (const TExpr& operand : expr.operands) each_part(operand, visit);
  each_statement(expr.block, [&](const TStatement& s) {
    each_expression(s, [&](const TExpr& e) { each_part(e, visit); });
  });
}

bool contains(const TExpr& expr, const std::function<bool(const TExpr&)>& is) {
  bool found = false;
  each_part(expr, [&](const TExpr& part) { found = found || is(part); });
  return found;
}

void each_expression(const TStatement& s, const std::function<void(const TExpr&)>& visit) {
  if (s.value) visit(*s.value);
  for (const TExpr& index : s.indices) visit(index);
  for (const TExpr& expression : s.expressions) visit(expression);
  for (const TRange& range : s.ranges) visit(range.lo), visit(range.hi);
  for (const TActual& actual : s.actuals) {
    if (actual.value) visit(*actual.value);
    if (!actual.array) continue;
    for (const TExpr& lead : actual.array->lead) visit(lead);
    for (const TExpr& bound : actual.array->range) visit(bound);
  }
  if (s.blocks) visit(*s.blocks);
  if (s.threads) visit(*s.threads);
}

namespace {

template <class S>
void walk(const std::vector<S>& body, const std::function<void(const S&)>& visit) {
  for (const S& s : body) {
    visit(s);
    walk(s.body, visit);
    walk(s.alternative, visit);
  }
}

} // namespace

void each_statement(const std::vector<TStatement>& body,
                    const std::function<void(const TStatement&)>& visit) {
  walk(body, visit);
}

void each_statement(const std::vector<Statement>& body,
                    const std::function<void(const Statement&)>& visit) {
  walk(body, visit);
}

void each_array(const std::vector<Statement>& body,
                const std::function<void(const ArrayDeclarator&)>& visit) {
  each_statement(body, [&](const Statement& s) {
    if (s.arrays)
      for (const ArrayDeclarator& array : s.arrays->arrays) visit(array);
  });
}

bool mentions_threads(const TExpr& expr) {
  return contains(expr, [](const TExpr& part) {
    return part.kind == TExprKind::special && part.special == ir::Special::threads;
  });
}

bool reads_arrays(const TExpr& expr) {
  return contains(expr, [](const TExpr& part) {
    return part.kind == TExprKind::element || part.kind == TExprKind::initial;
  });
}

std::vector<const TExpr*> returned_values(const std::vector<TStatement>& block) {
  std::vector<const TExpr*> values;
  each_statement(block, [&](const TStatement& s) {
    if (s.kind == TStatementKind::return_) values.push_back(&*s.value);
  });
  return values;
}

std::vector<TExpr*> returned_values(std::vector<TStatement>& block) {
  std::vector<TExpr*> values;
  for (const TExpr* value : returned_values(std::as_const(block)))
    values.push_back(const_cast<TExpr*>(value)); // the block may be changed
  return values;
}

namespace {

void each_of_slice(const Actual& actual, const std::function<void(const Expr&)>& visit) {
  if (actual.value) visit(*actual.value);
  for (const Expr& lead : actual.lead) visit(lead);
  for (const Expr& bound : actual.bounds) visit(bound);
}

void each_of_arrays(const ArraysDecl& decl, const std::function<void(const Expr&)>& visit) {
  for (const ArrayDeclarator& array : decl.arrays)
    for (const Expr& extent : array.extents) visit(extent);
  if (decl.layout)
    for (const Expr& argument : decl.layout->arguments) visit(argument);
  if (decl.initial)
    for (const Expr& value : decl.initial->values) visit(value);
}

} // namespace

void each_expression(const std::vector<Statement>& body,
                     const std::function<void(const Expr&)>& visit) {
  each_statement(body, [&](const Statement& s) {
    for (const Expr& e : s.expressions) visit(e);
    if (s.place) visit(*s.place);
    if (s.arrays) each_of_arrays(*s.arrays, visit);
    if (s.view) each_of_slice(s.view->target, visit);
    for (const Range& range : s.ranges) visit(range.lo), visit(range.hi);
    for (const Actual& actual : s.actuals) each_of_slice(actual, visit);
    if (s.blocks) visit(*s.blocks);
    if (s.threads) visit(*s.threads);
  });
}

bool declares(const std::vector<Statement>& body, const std::string& name) {
  bool found = false;
  each_statement(body, [&](const Statement& s) {
    const bool own = s.kind == StatementKind::let || s.kind == StatementKind::var ||
                     s.kind == StatementKind::for_;
    found = found || (own && s.name.text == name);
  });
  each_array(body, [&](const ArrayDeclarator& array) { found = found || array.name.text == name; });
  return found;
}

bool holds_continue(const std::vector<TStatement>& body) {
  return std::any_of(body.begin(), body.end(), [](const TStatement& s) {
    if (s.kind == TStatementKind::continue_) return true;
    return s.kind == TStatementKind::if_ &&
           (holds_continue(s.body) || holds_continue(s.alternative));
  });
}

namespace {

bool holds_return(const std::vector<TStatement>& body) {
  bool holds = false;
  each_statement(body,
                 [&](const TStatement& s) { holds = holds || s.kind == TStatementKind::return_; });
  return holds;
}

} // namespace

bool returns_early(const std::vector<TStatement>& block) {
  for (std::size_t k = 0; k < block.size(); ++k) {
    const TStatement& s = block[k];
    const bool last = k + 1 == block.size();
    const bool tail = last && (s.kind == TStatementKind::return_ || s.kind == TStatementKind::if_);
    if (!tail &&
        (s.kind == TStatementKind::return_ || holds_return(s.body) || holds_return(s.alternative)))
      return true;
    if (tail && (returns_early(s.body) || returns_early(s.alternative))) return true;
  }
  return false;
}

} // namespace memlane::lang
