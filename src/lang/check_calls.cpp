// Calls in expressions: constructors, conversions, and fns, which are expanded at each call.
#include "checker.hpp"
#include "suggestions.hpp"

#include "memlane/lang/builtins.hpp"
#include "memlane/support/suggest.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace memlane::lang {

std::optional<std::vector<TExpr>> Checker::arguments(const Expr& e) {
  std::vector<TExpr> result;
  for (const Expr& operand : e.operands) {
    Typed value = expr(operand);
    if (value) result.push_back(std::move(*value));
  }
  if (result.size() != e.operands.size()) return std::nullopt;
  return result;
}

Typed Checker::call(const Expr& e) {
  if (auto scalar = scalar_named(e.name)) return explicit_conversion(e, scalar_type(*scalar));
  const Entity* found = lookup(e.name);
  if (found && found->kind == EntityKind::fn) {
    SymbolId id = found->id;
    const FnDecl& fn = checked_.program.fns[static_cast<std::size_t>(id)];
    auto given = arguments(e);
    if (fn.parameterless)
      return error(e.span, in_quotes(e.name) + " is a fn without parameters: it is used as a name",
                   {"write " + e.name});
    if (fn.parameters.size() != e.operands.size())
      return error(e.span,
                   in_quotes(e.name) + " takes " + counted_noun(fn.parameters.size(), "argument") +
                       but_given(e.operands.size(), "argument"),
                   {}, {note_at(fn.name.span, "it is declared here")});
    if (!given) return std::nullopt;
    return expand(id, std::move(*given), e.span);
  }
  if (found && found->kind == EntityKind::type) {
    std::optional<Type> type = declared_type(found->id);
    if (type) return type->is_record() ? construct(e, *type) : explicit_conversion(e, *type);
    arguments(e);
    return std::nullopt;
  }
  if (find_builtin(e.name, is_formula())) return builtin(e);
  if (const auto op = found ? std::nullopt : update_named(e.name)) return atomic(e, *op);
  // Arguments of another language's function get no errors of their own.
  if (found || call_suggestion(e.name).empty()) arguments(e);
  if (!found) {
    unknown_name(e.name, e.span, true);
  } else if (found->kind == EntityKind::function) {
    error(e.span, in_quotes(e.name) + " is a kernel or proc: it has no value",
          {"call it in a statement of its own"});
  } else if (found->kind != EntityKind::poison) {
    error(e.span, in_quotes(e.name) + " is not a fn: it cannot be called",
          {"write " + e.name + "[…] for an element"});
  }
  return std::nullopt;
}

/// `value(1, 2)`
Typed Checker::construct(const Expr& e, Type type) {
  if (is_formula()) return error(e.span, "a formula has no records");
  auto given = arguments(e);
  const auto fields = checked_.fields(type);
  if (e.operands.size() != fields.size())
    return error(e.span, in_quotes(e.name) + " has " + counted_noun(fields.size(), "field") +
                             but_given(e.operands.size(), "value"));
  if (!given) return std::nullopt;
  std::vector<TExpr> values;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Typed value = coerce(std::move((*given)[i]), scalar_type(fields[i].type),
                         "field " + in_quotes(fields[i].name));
    if (value) values.push_back(std::move(*value));
  }
  if (values.size() != fields.size()) return std::nullopt;
  return node(TExprKind::record, type, e.span, std::move(values));
}

/// `int(x)`: any number, or a bool as 0 or 1.
Typed Checker::explicit_conversion(const Expr& e, Type type) {
  auto given = arguments(e);
  if (e.operands.size() != 1) return error(e.span, "a conversion takes 1 argument");
  if (!given) return std::nullopt;
  TExpr& value = given->front();
  if (is_formula() && type != bool_type) return exact_conversion(std::move(value), type, e.span);
  if (value.type == type) {
    // A real literal would become a float beside one, though its type is written.
    if (!ir::is_real(type.scalar) || !can_retag(value, type.scalar)) return std::move(value);
    TExpr kept = node(TExprKind::convert, type, e.span, std::move(*given));
    kept.implied = true;
    return kept;
  }
  if (value.type.is_record())
    return error(e.span, "a record cannot be converted to " + name_of(type));
  if (type == bool_type)
    return error(e.span, "a number cannot be converted to bool",
                 {"write " + text(e.operands[0].span) + " != 0"});
  if (value.type == bool_type) {
    TExpr one = literal(int_type, ir::Value::of(std::int64_t{1}), e.span);
    TExpr zero = literal(int_type, ir::Value::of(std::int64_t{0}), e.span);
    retag(one, type.scalar);
    retag(zero, type.scalar);
    TExpr choice = node(TExprKind::conditional, type, e.span,
                        operands_of(std::move(value), std::move(one), std::move(zero)));
    choice.implied = true;
    return choice;
  }
  return node(TExprKind::convert, type, e.span, std::move(*given));
}

// fns are expanded at each call, so that their types come from the call.

namespace {

/// Maximum number of calls after inlining: fns that call fns grow exponentially.
constexpr std::int64_t most_expansions = 100000;

/// Calls `visit` for each expression that names something.
void each_name(const Expr& e, const std::function<void(const Expr&)>& visit) {
  bool names = e.kind == ExprKind::name || e.kind == ExprKind::call || e.kind == ExprKind::initial;
  if (names) visit(e);
  for (const Expr& operand : e.operands) each_name(operand, visit);
}

void each_name(const FnDecl& fn, const std::function<void(const Expr&)>& visit) {
  if (!fn.has_block) return each_name(fn.body, visit);
  each_expression(fn.block, [&](const Expr& e) { each_name(e, visit); });
}

/// What the fn declares itself: parameters, and the names in its block.
bool is_own(const FnDecl& fn, const std::string& name) {
  return declares(fn.block, name) ||
         std::any_of(fn.parameters.begin(), fn.parameters.end(),
                     [&](const Name& parameter) { return parameter.text == name; });
}

} // namespace

/// Arguments become variables, evaluated once and in order; literals stay literals, so that the
/// body gives them their type.
Typed Checker::expand(SymbolId id, std::vector<TExpr> arguments, Span span) {
  auto index = static_cast<std::size_t>(id);
  const FnDecl& fn = checked_.program.fns[index];
  fn_expanded_[index] = true;
  if (fn_unusable_[index]) return std::nullopt;
  if (++expansions_ > most_expansions) {
    if (expansions_ == most_expansions + 1) {
      error(span,
            "more than " + std::to_string(most_expansions) +
                " calls of fns, counted after inlining them",
            {"a fn that calls another twice doubles its calls: name the result with 'let'"});
    }
    return std::nullopt;
  }
  std::vector<Binding> bindings;
  Scope scope;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Name& name = fn.parameters[i];
    if (arguments[i].kind == TExprKind::literal) {
      scope.names[name.text] = {EntityKind::value, -1, name.span, std::move(arguments[i])};
      continue;
    }
    SymbolId variable = new_variable(name.text, name.span, arguments[i].type, false);
    scope.names[name.text] = {EntityKind::variable, variable, name.span, {}};
    bindings.push_back({variable, std::move(arguments[i])});
  }
  std::vector<Scope> caller;
  caller.push_back(std::move(scope));
  std::swap(locals_, caller);
  trail_.push_back(span);
  Typed call = fn.has_block ? fn_block(id, span) : fn_body(id, span);
  trail_.pop_back();
  std::swap(locals_, caller);
  if (call) call->bindings = std::move(bindings);
  return call;
}

/// The call of a fn that is an expression, without its arguments; its parameters are declared
/// already.
Typed Checker::fn_body(SymbolId id, Span span) {
  Typed body = expr(checked_.program.fns[static_cast<std::size_t>(id)].body);
  if (!body) return std::nullopt;
  TExpr call = node(TExprKind::fn_call, body->type, span);
  call.symbol = id;
  call.operands.push_back(std::move(*body));
  return call;
}

/// Reports a chain of calls that is too deep for the stack, once: its callers are as deep.
void Checker::calls_too_deep(Span span, const std::string& what) {
  error(span, "this call is nested too deeply",
        {what + " are inlined: at most " + std::to_string(deepest_calls) +
         " of them may call each other in a chain"});
}

void Checker::find_recursive_fns() {
  const std::vector<FnDecl>& fns = checked_.program.fns;
  std::vector<std::vector<CallSite>> calls(fns.size());
  for (std::size_t i = 0; i < fns.size(); ++i) {
    check_fn_parameters(fns[i]);
    const bool allowed = stands_in_fn(fns[i].block);
    if (!returns_always(fns[i]) || !allowed) fn_unusable_[i] = true;
    each_name(fns[i], [&](const Expr& e) {
      auto found = top_.names.find(e.name);
      if (found == top_.names.end() || found->second.kind != EntityKind::fn) return;
      if (e.kind == ExprKind::name && is_own(fns[i], e.name)) return;
      calls[i].push_back({static_cast<std::size_t>(found->second.id), e.span});
    });
  }
  const auto cycle = [&](const std::vector<std::size_t>& members, const CallSite& site) {
    std::string chain;
    for (std::size_t i : members) {
      fn_unusable_[i] = true;
      chain += fns[i].name.text + " calls ";
    }
    error(site.span,
          "fns are inlined and cannot be recursive: " + chain + fns[site.callee].name.text,
          {"repeat in code, with `while` or `for`"});
  };
  bool told = false;
  const auto too_deep = [&](std::size_t caller, const CallSite& site) {
    fn_unusable_[caller] = true;
    if (!std::exchange(told, true)) calls_too_deep(site.span, "fns");
  };
  find_call_faults(calls, {cycle, too_deep});
}

void Checker::check_fn_parameters(const FnDecl& fn) {
  std::set<std::string> seen;
  for (const Name& parameter : fn.parameters) {
    if (seen.insert(parameter.text).second) continue;
    error(parameter.span, "parameter " + in_quotes(parameter.text) + " is declared twice");
  }
}

/// fns that nothing calls have no types, but their names must exist. fns of used programs are not
/// checked: their claims, which may call them, are not loaded.
void Checker::check_unused_fns() {
  const Program& program = checked_.program;
  for (std::size_t i = 0; i < program.fns.size(); ++i)
    if (!fn_expanded_[i]) walk_names(program.fns[i]);
}

void Checker::walk_names(const FnDecl& fn) {
  const bool used = sources_.path(fn.name.span.file) != checked_.program.path;
  function_name_ = "fn " + fn.name.text;
  each_name(fn, [&](const Expr& e) {
    const Entity* entity = lookup(e.name);
    if (entity && entity->kind == EntityKind::array) {
      checked_.array(entity->id).used = true;
    }
    bool known = entity || (e.kind == ExprKind::name && (is_own(fn, e.name) || e.name == "index"));
    if (scalar_named(e.name) || (e.kind == ExprKind::call && find_builtin(e.name, false)))
      known = true;
    if (known || used) return;
    std::vector<std::string> names = names_in_scope(e.kind == ExprKind::call);
    for (const Name& parameter : fn.parameters) names.push_back(parameter.text);
    if (!reported_.insert("unknown:" + function_name_ + ":" + e.name).second) return;
    error(e.span, (e.kind == ExprKind::call ? "unknown fn " : "unknown name ") + in_quotes(e.name),
          did_you_mean(e.name, names));
  });
  function_name_.clear();
}

// fns with a block: allowed statements, a return on every path, the type.

namespace {

/// The keyword of a statement that is not allowed in a fn's block; empty: it is allowed.
std::string_view outside_fns(const Statement& s) {
  switch (s.kind) {
  case StatementKind::view: return "view";
  case StatementKind::forall: return "forall";
  case StatementKind::barrier: return "barrier";
  case StatementKind::tensor: return "tensor";
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
