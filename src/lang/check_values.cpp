// What a name stands for in an expression.
#include "checker.hpp"

#include "memlane/support/machine_names.hpp"

namespace memlane::lang {

/// Params and consts stand before their use; only a `where` may look ahead.
bool Checker::check_order(const Entity& entity, Span use) {
  bool ahead = use.file == entity.span.file && use.begin < entity.span.begin;
  if (!ahead || looking_ahead_ || !use.known()) return true;
  return error(use,
               in_quotes(text(use)) +
                   " is declared later: declare params and consts before they are used",
               {"move its declaration up"}, {note_at(entity.span, "it is declared here")}),
         false;
}

Typed Checker::param_value(const Entity& entity, Span span) {
  auto index = static_cast<std::size_t>(entity.id);
  if (!check_order(entity, span)) return std::nullopt;
  if (param_progress_[index] == Progress::active) {
    error(span, "the value of " + in_quotes(text(span)) + " depends on itself");
  }
  check_param(entity.id);
  if (!param_good_[index]) return std::nullopt;
  return node(TExprKind::param, scalar_type(checked_.param(entity.id).type), span, {}, entity.id);
}

Typed Checker::const_value(const Entity& entity, const Expr& e) {
  auto index = static_cast<std::size_t>(entity.id);
  if (!check_order(entity, e.span)) return std::nullopt;
  if (const_progress_[index] == Progress::active) {
    error(e.span, "the value of " + in_quotes(e.name) + " depends on itself");
  }
  check_const(entity.id);
  if (!const_good_[index]) return std::nullopt;
  if (!checked_.constant(entity.id).extents.empty())
    return error(e.span, in_quotes(e.name) + " is a table, but a single value is needed here",
                 {"write " + e.name + "[…]"});
  return node(TExprKind::constant, scalar_type(checked_.constant(entity.id).type), e.span, {},
              entity.id);
}

Typed Checker::letter_value(const Expr& e) const {
  const MachineName& name = *find_machine_name(e.name);
  const Type type = name.setting ? bool_type : name.wide ? long_type : int_type;
  TExpr letter = node(TExprKind::letter, type, e.span);
  letter.text = e.name;
  return letter;
}

Typed Checker::name_value(const Expr& e) {
  if (e.name == "index" && setting_ == Setting::initial) {
    return node(TExprKind::index_number, element_type_ == long_type ? long_type : int_type, e.span);
  }
  if (setting_ == Setting::claim)
    if (auto value = claim_name(e)) return *value;
  const Entity* found = lookup(e.name);
  if (!found) {
    unknown_name(e.name, e.span);
    return std::nullopt;
  }
  const Entity entity = *found; // a copy: what follows may add names
  auto index = static_cast<std::size_t>(entity.id);
  TExpr result = node(TExprKind::special, int_type, e.span);
  switch (entity.kind) {
  case EntityKind::poison: return std::nullopt;
  case EntityKind::param: return param_value(entity, e.span);
  case EntityKind::constant: return const_value(entity, e);
  case EntityKind::variable:
    return node(TExprKind::variable, checked_.variable(entity.id).type, e.span, {}, entity.id);
  case EntityKind::value:
    result = entity.value;
    result.span = e.span;
    return result;
  case EntityKind::array:
    checked_.array(entity.id).used = true;
    return error(e.span, in_quotes(e.name) + " is an array, but a single value is needed here",
                 {"write " + e.name + "[…]"});
  case EntityKind::fn: {
    const FnDecl& fn = checked_.program.fns[index];
    if (fn.parameterless) return expand(entity.id, {}, e.span);
    return error(
        e.span, in_quotes(e.name) + " is a fn of " + counted_noun(fn.parameters.size(), "argument"),
        {"write " + e.name + "(…)"});
  }
  case EntityKind::type:
    return error(e.span, in_quotes(e.name) + " is a type, not a value",
                 {"write " + e.name + "(…)"});
  case EntityKind::function:
    return error(e.span, in_quotes(e.name) + " is a kernel or proc, not a value");
  case EntityKind::letter: checked_.letters.insert(e.name); return letter_value(e);
  case EntityKind::special: result.special = static_cast<ir::Special>(entity.id); return result;
  }
  return std::nullopt;
}

} // namespace memlane::lang
