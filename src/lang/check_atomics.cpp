// Atomics: `atomic x[i] += e`, `exchange(x[i], e)`, `cas(x[i], expected, e)`.
#include "checker.hpp"

#include "memlane/support/suggest.hpp"

#include <utility>

namespace memlane::lang {

/// What `let`, `var` or `=` assigns to a variable: it may be an atomic.
Typed Checker::value_with_update(const Expr& e) {
  const Expr* const outer = std::exchange(update_, &e);
  Typed value = expr(e);
  update_ = outer;
  return value;
}

/// None: no atomic is called by this name. A fn or proc of the program may have it.
std::optional<ir::Opcode> Checker::update_named(const std::string& name) const {
  if (is_formula()) return std::nullopt;
  if (name == "exchange") return ir::Opcode::atomic_exchange;
  if (name == "cas") return ir::Opcode::atomic_cas;
  return std::nullopt;
}

bool Checker::is_update_call(const Statement& s) const {
  return !lookup(s.name.text) && update_named(s.name.text).has_value();
}

/// A statement whose old value is not used.
void Checker::update(const Statement& s, std::vector<TStatement>& out) {
  Expr called;
  if (s.kind == StatementKind::call) {
    called.kind = ExprKind::call;
    called.span = s.span;
    called.name = s.name.text;
    for (const Actual& actual : s.actuals) {
      if (!actual.value) {
        error(actual.span, "a slice is no value");
        return;
      }
      called.operands.push_back(*actual.value);
    }
  }
  Typed value = value_with_update(s.kind == StatementKind::call ? called : s.expressions[0]);
  if (!value) return;
  TStatement typed = typed_statement(TStatementKind::update, s.span);
  typed.declaration = true;
  typed.value = std::move(*value);
  out.push_back(std::move(typed));
}

namespace {

bool is_of_bits(ir::Opcode op) {
  return op == ir::Opcode::atomic_and || op == ir::Opcode::atomic_or ||
         op == ir::Opcode::atomic_xor;
}

} // namespace

/// The values before the indices, in the order of their requests.
Typed Checker::atomic(const Expr& e, ir::Opcode op) {
  const std::size_t values = values_of_atomic(op);
  if (update_ != &e)
    return error(e.span,
                 "an atomic stands alone or is all that `let`, `var` or `=` gives a variable",
                 {"let its old value have a name: let old = " + text(e.span)});
  update_ = nullptr;
  if (e.operands.size() != values + 1)
    return error(e.span,
                 in_quotes(e.name) + " takes " + counted_noun(values + 1, "argument") +
                     but_given(e.operands.size(), "argument"),
                 {"exchange(x[i], e) writes e; cas(x[i], expected, e) writes it where x[i] is "
                  "expected; both give the old value"});
  const Expr* place = &e.operands[0];
  const Expr* const field = place->kind == ExprKind::field ? place : nullptr;
  if (field) place = &place->operands[0];
  if (place->kind != ExprKind::element || place->operands[0].kind != ExprKind::name)
    return error(e.operands[0].span, "an atomic needs an element of an array",
                 {"write x[i]; what is no element belongs to one thread alone"});
  Typed target = element(*place);
  if (!target) return std::nullopt;
  if (target->kind != TExprKind::element)
    return error(place->span, "this is a constant of the program");
  TExpr typed = node(TExprKind::atomic, target->type, e.span, {}, target->symbol);
  typed.op = op;
  std::vector<TExpr> indices = target->operands;
  if (field) {
    target = field_of(std::move(*target), *field);
    if (!target) return std::nullopt;
    typed.field = target->symbol;
    typed.type = target->type;
  }
  if (!fn_may_write(typed.symbol, place->span)) return std::nullopt;
  if (typed.type.is_record())
    return error(place->span, "an atomic changes one word, and this is a record",
                 {"name a field: " + text(place->span) + ".x"});
  if (is_of_bits(op) && !require_integer(*target, "the target of `&=`, `|=` or `xor=`"))
    return std::nullopt;
  for (std::size_t k = 1; k < e.operands.size(); ++k) {
    Typed value = coerce(expr(e.operands[k]), typed.type, in_quotes(text(e.operands[0].span)));
    if (!value) return std::nullopt;
    typed.operands.push_back(std::move(*value));
  }
  for (TExpr& index : indices) typed.operands.push_back(std::move(index));
  return typed;
}

} // namespace memlane::lang
