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

namespace {

template <class S, class Visit>
void uses_in(S& s, const Visit& visit) {
  const bool kept = is_assignment(s.kind) || s.kind == TStatementKind::return_;
  if (s.value) visit(*s.value, kept ? Use::value : Use::control);
  for (auto& index : s.indices) visit(index, Use::index);
  for (auto& expression : s.expressions) visit(expression, Use::control);
  for (auto& range : s.ranges) visit(range.lo, Use::control), visit(range.hi, Use::control);
  for (auto& actual : s.actuals) {
    if (actual.value) visit(*actual.value, Use::value);
    if (!actual.array) continue;
    for (auto& lead : actual.array->lead) visit(lead, Use::index);
    for (auto& bound : actual.array->range) visit(bound, Use::index);
  }
  if (s.blocks) visit(*s.blocks, Use::control);
  if (s.threads) visit(*s.threads, Use::control);
}

template <class S>
void walk(const std::vector<S>& body, const std::function<void(const S&)>& visit) {
  for (const S& s : body) {
    visit(s);
    walk(s.body, visit);
    walk(s.alternative, visit);
  }
}

} // namespace

void each_use(const TStatement& s, const std::function<void(const TExpr&, Use)>& visit) {
  uses_in(s, visit);
}

void each_use(TStatement& s, const std::function<void(TExpr&, Use)>& visit) { uses_in(s, visit); }

void each_expression(const TStatement& s, const std::function<void(const TExpr&)>& visit) {
  uses_in(s, [&](const TExpr& e, Use) { visit(e); });
}

void each_passed(const Checked& checked, const TStatement& s,
                 const std::function<void(SymbolId formal, const ArraySlice&)>& visit) {
  for (std::size_t k = 0; k < s.actuals.size(); ++k)
    if (s.actuals[k].array)
      visit(checked.function(s.symbol).formals[k].symbol, *s.actuals[k].array);
}

std::vector<ir::Scalar> scalars_of(const Checked& checked, Type type) {
  if (!type.is_record()) return {type.scalar};
  std::vector<ir::Scalar> scalars;
  for (const RecordField& field : checked.fields(type)) scalars.push_back(field.type);
  return scalars;
}

SymbolId root_array(const Checked& checked, SymbolId array,
                    const std::map<SymbolId, SymbolId>& formals) {
  while (true) {
    const ArraySymbol& symbol = checked.array(array);
    auto formal = formals.find(array);
    if (symbol.kind == ArrayKind::view && symbol.target) {
      array = symbol.target->array;
    } else if (formal != formals.end() && formal->second != array) {
      array = formal->second;
    } else {
      return array;
    }
  }
}

namespace {

void add_effects(const TExpr& expr, Effects& effects);

void add_effects(const TStatement& s, Effects& effects) {
  each_expression(s, [&](const TExpr& e) { add_effects(e, effects); });
  if (s.kind == TStatementKind::assign_element)
    effects.accesses.push_back({s.symbol, s.indices, s.assign_op != AssignOp::set, true});
}

void add_effects(const TExpr& expr, Effects& effects) {
  if (expr.kind == TExprKind::element)
    effects.accesses.push_back({expr.symbol, expr.operands, true, false});
  if (expr.kind == TExprKind::atomic)
    effects.accesses.push_back(
        {expr.symbol, std::span<const TExpr>(expr.operands).subspan(values_of_atomic(expr.op)),
         true, true, true});
  for (const Binding& binding : expr.bindings) add_effects(binding.value, effects);
  for (const TExpr& operand : expr.operands) add_effects(operand, effects);
  each_statement(expr.block, [&](const TStatement& s) { add_effects(s, effects); });
}

} // namespace

Effects effects_of(const TExpr& expr) {
  Effects effects;
  add_effects(expr, effects);
  return effects;
}

Effects effects_of(const TStatement& s) {
  Effects effects;
  add_effects(s, effects);
  if (is_assignment(s.kind) && s.kind != TStatementKind::assign_element)
    effects.variable = s.symbol;
  return effects;
}

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

bool draws(const TExpr& expr) {
  return contains(expr, [](const TExpr& part) { return part.kind == TExprKind::random; });
}

std::vector<std::size_t> ranges_before(const TStatement& forall, std::size_t k) {
  const TRange& range = forall.ranges[k];
  std::vector<std::size_t> found;
  for (std::size_t j = 0; j < k; ++j) {
    const auto is_index = [&](const TExpr& part) {
      return part.kind == TExprKind::variable && part.symbol == forall.ranges[j].index;
    };
    if (contains(range.lo, is_index) || contains(range.hi, is_index)) found.push_back(j);
  }
  return found;
}

bool is_triangular(const TStatement& forall) {
  for (std::size_t k = 1; k < forall.ranges.size(); ++k)
    if (!ranges_before(forall, k).empty()) return true;
  return false;
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
  if (decl.layout) {
    for (const Expr& argument : decl.layout->arguments) visit(argument);
    for (const Expr& size : decl.layout->sizes) visit(size);
  }
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
