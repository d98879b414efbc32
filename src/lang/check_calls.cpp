// Calls in expressions: fns, constructors, conversions.
#include "checker.hpp"
#include "suggestions.hpp"

#include "memlane/lang/builtins.hpp"

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
  if (value.type == type) return std::move(value);
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

} // namespace memlane::lang
