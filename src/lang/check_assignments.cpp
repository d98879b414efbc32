// Assignments to variables, fields and elements.
#include "checker.hpp"

namespace memlane::lang {

void Checker::assignment(const Statement& s, std::vector<TStatement>& out) {
  const Expr* place = &*s.place;
  const Expr* field = nullptr;
  if (place->kind == ExprKind::field) {
    field = place;
    place = &place->operands[0];
  }
  const bool element = place->kind == ExprKind::element;
  bool assignable = false;
  if (place->kind == ExprKind::name)
    assignable = assign_variable(s, *place, field, out);
  else if (element && place->operands[0].kind == ExprKind::name)
    assignable = assign_element(s, *place, field, out);
  else
    error(s.place->span, "this cannot be assigned to",
          {element ? indices_together(*place)
                   : "assign to a variable, an element a[i], or a field of one"});
  if (!assignable) expr(s.expressions[0]); // for its own errors
}

void Checker::not_assignable(const Entity& entity, const Expr& place) {
  std::string name = in_quotes(place.name);
  std::vector<Diagnostic> notes;
  if (entity.span.known()) notes.push_back(note_at(entity.span, "it is declared here"));
  std::vector<std::string> help;
  std::string message = name + " cannot be assigned to";
  switch (entity.kind) {
  case EntityKind::poison: return;
  case EntityKind::variable:
    message = name + " is fixed: only what `var` declares can be assigned to";
    help = {"declare it with var, or assign to a copy: var my_" + place.name + " = " + place.name};
    break;
  case EntityKind::array:
    message = name + " is an array: assign to one of its elements";
    help = {"write " + place.name + "[…] = …"};
    break;
  case EntityKind::param:
  case EntityKind::constant:
    message = name + " is a constant of the program";
    help = {"assign to a copy: var my_" + place.name + " = " + place.name};
    break;
  case EntityKind::letter:
  case EntityKind::special:
    message = name + " belongs to the machine";
    notes.clear();
    break;
  case EntityKind::value: // a literal argument of a fn
    message = name + " is fixed: only what `var` declares can be assigned to";
    help = {"assign to a copy: var my_" + place.name + " = " + place.name};
    break;
  case EntityKind::fn:
  case EntityKind::type:
  case EntityKind::function: break;
  }
  error(place.span, message, help, std::move(notes));
}

/// The value to store, for `+=` and its like with `current` as the left operand.
Typed Checker::assigned_value(const Statement& s, TExpr current, const std::string& target) {
  Typed value = expr(s.expressions[0]);
  if (s.assign_op == AssignOp::set) return coerce(std::move(value), current.type, target);
  if (!value) return std::nullopt;
  const std::string op = in_quotes(spelling(s.assign_op));
  if (!require_number(current, op) || !require_number(*value, op)) return std::nullopt;
  Type type = current.type;
  value = coerce(std::move(value), type, target);
  if (!value) return std::nullopt;
  return operation(opcode_of(s.assign_op), type, s.span,
                   operands_of(std::move(current), std::move(*value)));
}

/// False where the place cannot be assigned to.
bool Checker::assign_variable(const Statement& s, const Expr& place, const Expr* field,
                              std::vector<TStatement>& out) {
  const Entity* found = lookup(place.name);
  if (!found) {
    const bool value = s.assign_op == AssignOp::set && !field;
    unknown_name(place.name, place.span, false,
                 value ? "declare it: var " + place.name + " = " + text(s.expressions[0].span)
                       : "");
    return false;
  }
  if (found->kind != EntityKind::variable || !checked_.variable(found->id).assignable) {
    not_assignable(*found, place);
    return false;
  }
  TStatement typed = typed_statement(TStatementKind::assign_variable, s.span, found->id);
  Typed current =
      node(TExprKind::variable, checked_.variable(found->id).type, place.span, {}, found->id);
  if (field) {
    current = field_of(std::move(*current), *field);
    if (!current) return false;
    typed.kind = TStatementKind::assign_field;
    typed.field = current->symbol;
  }
  typed.value = assigned_value(s, std::move(*current), in_quotes(text(s.place->span)));
  if (typed.value) out.push_back(std::move(typed));
  return true;
}

/// The right side is looked at first, then the indices, in the order of their requests. False where
/// the place cannot be assigned to.
bool Checker::assign_element(const Statement& s, const Expr& place, const Expr* field,
                             std::vector<TStatement>& out) {
  const std::string& name = place.operands[0].name;
  const Entity* found = lookup(name);
  if (found && found->kind == EntityKind::constant)
    return error(place.span, in_quotes(name) + " is a constant of the program"), false;
  Typed target = element(place);
  if (!target) return false;
  TStatement typed = typed_statement(TStatementKind::assign_element, s.span, target->symbol);
  typed.assign_op = s.assign_op;
  typed.indices = target->operands;
  if (field) {
    target = field_of(std::move(*target), *field);
    if (!target) return false;
    typed.field = target->symbol;
  }
  if (!fn_may_write(typed.symbol, place.span)) return false;
  Typed value = assigned_value(s, std::move(*target), in_quotes(text(s.place->span)));
  if (!value) return true;
  // The statement itself reads the target.
  typed.value = s.assign_op == AssignOp::set ? std::move(*value) : std::move(value->operands[1]);
  out.push_back(std::move(typed));
  return true;
}

} // namespace memlane::lang
