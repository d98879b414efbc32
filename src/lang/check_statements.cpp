// Statements: blocks, declarations, conditions.
#include "checker.hpp"

namespace memlane::lang {

namespace {

/// Stack that a block of a fn needs, in levels of expressions.
constexpr std::size_t levels_of_block = 4;

} // namespace

std::vector<TStatement> Checker::block(const std::vector<Statement>& body) {
  std::vector<TStatement> out;
  const Depth depth(*this, body.empty() ? Span{} : body[0].span,
                    in_fn_block_ ? levels_of_block : 0);
  if (!depth) return out;
  locals_.emplace_back();
  statements(body, out);
  locals_.pop_back();
  return out;
}

void Checker::statements(const std::vector<Statement>& body, std::vector<TStatement>& out) {
  for (const Statement& s : body) statement(s, out);
}

void Checker::statement(const Statement& s, std::vector<TStatement>& out) {
  if (!watch_.go_on(sizeof(TStatement))) return;
  const std::size_t first = out.size();
  switch (s.kind) {
  case StatementKind::let:
  case StatementKind::var: declaration(s, out); return check_racy(s, out, first);
  case StatementKind::arrays: return local_arrays(*s.arrays, out);
  case StatementKind::view: return local_view(*s.view, out);
  case StatementKind::assign: assignment(s, out); return check_racy(s, out, first);
  case StatementKind::if_:
  case StatementKind::while_: return if_or_while(s, out);
  case StatementKind::for_: return for_loop(s, out);
  case StatementKind::forall: return forall(s, out);
  case StatementKind::barrier:
    out.push_back(typed_statement(TStatementKind::barrier, s.span));
    return;
  case StatementKind::break_:
  case StatementKind::continue_: return leave_loop(s, out);
  case StatementKind::return_: {
    Typed value = expr(s.expressions[0]);
    if (!value) return;
    out.push_back(typed_statement(TStatementKind::return_, s.span));
    out.back().value = std::move(*value);
    return;
  }
  case StatementKind::assert_: {
    Typed value = condition(s.expressions[0], "what is asserted");
    if (!value) return;
    out.push_back(typed_statement(TStatementKind::assert_, s.span));
    out.back().value = std::move(*value);
    out.back().text = s.text;
    return;
  }
  case StatementKind::print: return print(s, out);
  case StatementKind::concurrent: return concurrent(s, out);
  case StatementKind::call:
  case StatementKind::launch: return call_statement(s, out);
  }
}

/// Its loops are its own: none around it is left from inside.
void Checker::concurrent(const Statement& s, std::vector<TStatement>& out) {
  TStatement typed = typed_statement(TStatementKind::concurrent, s.span);
  const int loops = std::exchange(loops_, 0);
  const bool outer = std::exchange(loop_around_concurrent_, loops > 0);
  typed.body = block(s.body);
  loop_around_concurrent_ = outer;
  loops_ = loops;
  out.push_back(std::move(typed));
}

void Checker::leave_loop(const Statement& s, std::vector<TStatement>& out) {
  const bool goes_on = s.kind == StatementKind::continue_;
  if (loops_ == 0) {
    const std::string word = goes_on ? "`continue`" : "`break`";
    if (loop_around_concurrent_) {
      error(s.span, word + " does not leave a `concurrent`: its end waits for its launches",
            {"end the `concurrent` first, or put what is left out into an `if`"});
      return;
    }
    error(s.span,
          word + " is only allowed in a `for` or `while`" +
              (goes_on ? "" : ", and does not leave a `forall`"),
          goes_on && in_forall_
              ? std::vector<std::string>{"to skip the rest of an iteration of a `forall`, put it "
                                         "into an `if`"}
              : std::vector<std::string>{});
    return;
  }
  out.push_back(
      typed_statement(goes_on ? TStatementKind::continue_ : TStatementKind::break_, s.span));
}

void Checker::print(const Statement& s, std::vector<TStatement>& out) {
  TStatement typed = typed_statement(TStatementKind::print, s.span);
  typed.texts = s.texts;
  for (const Expr& e : s.expressions) {
    Typed value = expr(e);
    if (value) typed.expressions.push_back(std::move(*value));
  }
  if (typed.expressions.size() == s.expressions.size()) out.push_back(std::move(typed));
}

void Checker::if_or_while(const Statement& s, std::vector<TStatement>& out) {
  bool loop = s.kind == StatementKind::while_;
  TStatement typed = typed_statement(loop ? TStatementKind::while_ : TStatementKind::if_, s.span);
  Typed value = condition(s.expressions[0], "the condition");
  if (loop) ++loops_;
  typed.body = block(s.body);
  if (loop) --loops_;
  typed.alternative = block(s.alternative);
  if (!value) return;
  typed.value = std::move(*value);
  out.push_back(std::move(typed));
}

void Checker::declaration(const Statement& s, std::vector<TStatement>& out) {
  Typed value = expr(s.expressions[0]);
  std::optional<Type> type;
  if (s.type) type = type_named(*s.type);
  if (type) type = formula_type(*type);
  if (type) value = coerce(std::move(value), *type, in_quotes(s.name.text));
  if (!s.type && value) type = value->type;
  if (!type) { // its uses get no further errors
    declare_local(s.name, EntityKind::variable, -1);
    return;
  }
  SymbolId id = new_variable(s.name.text, s.name.span, *type, s.kind == StatementKind::var);
  declare_local(s.name, EntityKind::variable, id);
  if (!value) return;
  TStatement typed = typed_statement(TStatementKind::assign_variable, s.span, id);
  typed.declaration = true;
  typed.value = std::move(*value);
  out.push_back(std::move(typed));
}

} // namespace memlane::lang
