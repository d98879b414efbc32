// fns: expanded at each call, so that their types come from the call.
#include "checker.hpp"

#include "memlane/support/suggest.hpp"

#include <algorithm>
#include <functional>

namespace memlane::lang {

namespace {

/// fns that call fns that call … may grow without bounds; no algorithm needs as many calls.
constexpr std::int64_t most_expansions = 100000;

/// Calls `visit` for each expression that names something.
void each_name(const Expr& e, const std::function<void(const Expr&)>& visit) {
  bool names = e.kind == ExprKind::name || e.kind == ExprKind::call || e.kind == ExprKind::initial;
  if (names) visit(e);
  for (const Expr& operand : e.operands) each_name(operand, visit);
}

bool is_parameter(const FnDecl& fn, const std::string& name) {
  return std::any_of(fn.parameters.begin(), fn.parameters.end(),
                     [&](const Name& parameter) { return parameter.text == name; });
}

} // namespace

/// Arguments become variables, evaluated once and in order; literals stay literals, so that the
/// body gives them their type.
Typed Checker::expand(SymbolId id, std::vector<TExpr> arguments, Span span) {
  auto index = static_cast<std::size_t>(id);
  const FnDecl& fn = checked_.program.fns[index];
  fn_expanded_[index] = true;
  if (fn_recursive_[index]) return std::nullopt;
  if (++expansions_ > most_expansions) {
    if (expansions_ == most_expansions + 1) {
      trail_.clear();
      error(span, "more than " + std::to_string(most_expansions) +
                      " calls of fns, counted after "
                      "inlining them");
    }
    return std::nullopt;
  }
  TExpr call = node(TExprKind::fn_call, {}, span);
  call.symbol = id;
  Scope scope;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Name& name = fn.parameters[i];
    if (arguments[i].kind == TExprKind::literal) {
      scope.names[name.text] = {EntityKind::value, -1, name.span, std::move(arguments[i])};
      continue;
    }
    SymbolId variable = new_variable(name.text, name.span, arguments[i].type, false);
    scope.names[name.text] = {EntityKind::variable, variable, name.span, {}};
    call.bindings.push_back({variable, std::move(arguments[i])});
  }
  std::vector<Scope> caller;
  caller.push_back(std::move(scope));
  std::swap(locals_, caller);
  trail_.push_back(span);
  Typed body = expr(fn.body);
  trail_.pop_back();
  std::swap(locals_, caller);
  if (!body) return std::nullopt;
  call.type = body->type;
  call.operands.push_back(std::move(*body));
  return call;
}

void Checker::find_recursive_fns() {
  const std::vector<FnDecl>& fns = checked_.program.fns;
  std::vector<Progress> progress(fns.size(), Progress::waiting);
  std::vector<std::size_t> path;
  std::function<void(std::size_t)> visit = [&](std::size_t at) {
    progress[at] = Progress::active;
    path.push_back(at);
    each_name(fns[at].body, [&](const Expr& e) {
      auto found = top_.names.find(e.name);
      if (found == top_.names.end() || found->second.kind != EntityKind::fn) return;
      if (e.kind == ExprKind::name && is_parameter(fns[at], e.name)) return;
      auto next = static_cast<std::size_t>(found->second.id);
      if (progress[next] == Progress::waiting) return visit(next);
      if (progress[next] == Progress::done) return;
      std::string chain;
      for (auto i = std::find(path.begin(), path.end(), next); i != path.end(); ++i) {
        fn_recursive_[*i] = true;
        chain += fns[*i].name.text + " calls ";
      }
      error(e.span, "fns are inlined and cannot be recursive: " + chain + e.name);
    });
    path.pop_back();
    progress[at] = Progress::done;
  };
  for (std::size_t i = 0; i < fns.size(); ++i) {
    std::set<std::string> seen;
    for (const Name& parameter : fns[i].parameters) {
      if (seen.insert(parameter.text).second) continue;
      error(parameter.span, "parameter " + quoted(parameter.text) + " is declared twice");
    }
    if (progress[i] == Progress::waiting) visit(i);
  }
}

/// What no code calls has no types; but its names must exist. What claims use is over counts,
/// which the claims check; the claims of used programs stayed behind, so their fns are let be.
void Checker::check_unused_fns() {
  const Program& program = checked_.program;
  std::vector<bool> claimed(program.fns.size());
  std::function<void(const Expr&)> mark = [&](const Expr& e) {
    auto found = top_.names.find(e.name);
    if (found == top_.names.end() || found->second.kind != EntityKind::fn) return;
    auto id = static_cast<std::size_t>(found->second.id);
    if (claimed[id]) return;
    claimed[id] = true;
    each_name(program.fns[id].body, mark);
  };
  for (const ClaimDecl& claim : program.claims) {
    each_name(claim.left, mark);
    each_name(claim.right, mark);
    if (claim.when) each_name(*claim.when, mark);
  }
  for (std::size_t i = 0; i < program.fns.size(); ++i) {
    if (!fn_expanded_[i] && !claimed[i]) walk_names(program.fns[i].body, program.fns[i]);
  }
}

void Checker::walk_names(const Expr& body, const FnDecl& fn) {
  const bool used = sources_.path(fn.name.span.file) != checked_.program.path;
  function_name_ = "fn " + fn.name.text;
  each_name(body, [&](const Expr& e) {
    const Entity* entity = lookup(e.name);
    if (entity && entity->kind == EntityKind::array) {
      checked_.arrays[static_cast<std::size_t>(entity->id)].used = true;
    }
    bool known =
        entity || (e.kind == ExprKind::name && (is_parameter(fn, e.name) || e.name == "index"));
    if (scalar_named(e.name) || (e.kind == ExprKind::call && is_builtin(e.name))) known = true;
    if (known || used) return;
    std::vector<std::string> names = names_in_scope(e.kind == ExprKind::call);
    for (const Name& parameter : fn.parameters) names.push_back(parameter.text);
    if (!reported_.insert("unknown:" + function_name_ + ":" + e.name).second) return;
    error(e.span, (e.kind == ExprKind::call ? "unknown fn " : "unknown name ") + quoted(e.name),
          did_you_mean(e.name, names));
  });
  function_name_.clear();
}

} // namespace memlane::lang
