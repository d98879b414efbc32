// fns with a block: allowed statements, a return on every path, the type.
#include "checker.hpp"

#include <algorithm>
#include <utility>

namespace memlane::lang {

namespace {

/// The keyword of a statement that is not allowed in a fn's block; empty: it is allowed.
std::string_view outside_fns(const Statement& s) {
  switch (s.kind) {
  case StatementKind::view: return "view";
  case StatementKind::forall: return "forall";
  case StatementKind::barrier: return "barrier";
  case StatementKind::assert_: return "assert";
  case StatementKind::print: return "print";
  case StatementKind::concurrent: return "concurrent";
  case StatementKind::launch: return "launch";
  case StatementKind::arrays:
    return s.arrays->space == ArraySpace::memory   ? "memory"
           : s.arrays->space == ArraySpace::shared ? "shared"
                                                   : "";
  default: return "";
  }
}

/// Whether a loop's body contains a `break` of that loop.
bool leaves_loop(const std::vector<Statement>& body) {
  return std::any_of(body.begin(), body.end(), [](const Statement& s) {
    if (s.kind == StatementKind::break_) return true;
    return s.kind == StatementKind::if_ && (leaves_loop(s.body) || leaves_loop(s.alternative));
  });
}

/// The statement after which a block can end without a return; null: there is none. `empty`: the
/// block has no statements.
const Statement* falls_through(const std::vector<Statement>& block, bool& empty) {
  empty = block.empty();
  if (empty) return nullptr;
  const Statement& last = block.back();
  if (last.kind == StatementKind::return_ || last.kind == StatementKind::break_ ||
      last.kind == StatementKind::continue_)
    return nullptr;
  if (last.kind == StatementKind::while_) {
    const Expr& condition = last.expressions[0];
    const bool endless = condition.kind == ExprKind::boolean && condition.integer != 0;
    return endless && !leaves_loop(last.body) ? nullptr : &last;
  }
  if (last.kind != StatementKind::if_) return &last;
  for (const std::vector<Statement>* arm : {&last.body, &last.alternative}) {
    bool nothing = false;
    const Statement* inner = falls_through(*arm, nothing);
    if (nothing) return &last;
    if (inner) return inner;
  }
  return nullptr;
}

} // namespace

/// False, after an error, if the block can end without a return.
bool Checker::returns_always(const FnDecl& fn) {
  if (!fn.has_block) return true;
  bool empty = false;
  const Statement* last = falls_through(fn.block, empty);
  if (!last && !empty) return true;
  std::vector<Diagnostic> notes;
  if (last)
    notes.push_back(
        note_at(last->span, last->kind == StatementKind::if_ && last->alternative.empty()
                                ? "if this condition is false, the block continues here"
                                : "its block can end after this"));
  return error(fn.name.span,
               "fn " + in_quotes(fn.name.text) + " does not return a value on every path",
               {"end the block with 'return …'"}, std::move(notes)),
         false;
}

/// False, after errors, if the block contains statements that fns must not have.
bool Checker::stands_in_fn(const std::vector<Statement>& block) {
  const std::vector<std::string> help = {
      "its block holds let, var, assignments to variables, if, while, for, break, continue and "
      "return; a proc may hold anything"};
  bool good = true;
  for (const Statement& s : block) {
    const std::string_view word = outside_fns(s);
    if (!word.empty())
      error(s.span, "a fn computes a value: `" + std::string(word) + "` is not allowed in one",
            help);
    if (s.kind == StatementKind::call) error(s.span, "a fn calls no procs", help);
    good = good && word.empty() && s.kind != StatementKind::call;
    if (!word.empty()) continue;
    good = stands_in_fn(s.body) && good;
    good = stands_in_fn(s.alternative) && good;
  }
  return good;
}

/// A fn writes only what it declares.
bool Checker::fn_may_write(SymbolId array, Span place) {
  if (!in_fn_block_) return true;
  const ArraySymbol& symbol = checked_.array(array);
  if (symbol.kind == ArrayKind::local) return true;
  return error(place, "a fn writes no array: " + in_quotes(symbol.name) + " is not its own",
               {"return the value and write it where the fn is called, or make it a proc"}),
         false;
}

/// The call of a fn with a block; its parameters are declared already.
Typed Checker::fn_block(SymbolId id, Span span) {
  const FnDecl& fn = checked_.program.fns[static_cast<std::size_t>(id)];
  const Depth depth(*this, span, 1);
  if (!depth) return std::nullopt;
  TExpr call = node(TExprKind::fn_call, {}, span);
  call.symbol = id;
  const bool outer = std::exchange(in_fn_block_, true);
  const int loops = std::exchange(loops_, 0);
  statements(fn.block, call.block);
  loops_ = loops;
  in_fn_block_ = outer;
  const std::vector<TExpr*> values = returned_values(call.block);
  if (values.empty() || !one_return_type(fn, values)) return std::nullopt;
  call.type = values[0]->type;
  return call;
}

/// Numbers widen to the widest, as the arms of a conditional expression do.
bool Checker::one_return_type(const FnDecl& fn, const std::vector<TExpr*>& values) {
  const bool numbers =
      std::all_of(values.begin(), values.end(), [](const TExpr* e) { return is_number(e->type); });
  if (numbers) return unify(values);
  for (const TExpr* value : values) {
    if (value->type == values[0]->type) continue;
    return error(value->span,
                 "fn " + in_quotes(fn.name.text) + " returns " + name_of(value->type) +
                     " here and " + name_of(values[0]->type) + " elsewhere",
                 {"all its returns need one type"}, {note_at(values[0]->span, "the other one")}),
           false;
  }
  return true;
}

} // namespace memlane::lang
