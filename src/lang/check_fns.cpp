// fns are expanded at each call, so that their types come from the call.
#include "call_chains.hpp"
#include "checker.hpp"

#include "memlane/lang/builtins.hpp"
#include "memlane/support/suggest.hpp"

#include <algorithm>
#include <functional>

namespace memlane::lang {

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

} // namespace memlane::lang
