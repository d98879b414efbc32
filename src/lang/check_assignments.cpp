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
  if (place->kind == ExprKind::name) return assign_variable(s, *place, field, out);
  bool of_name = place->kind == ExprKind::element && place->operands[0].kind == ExprKind::name;
  if (of_name) return assign_element(s, *place, field, out);
  error(s.place->span, "this cannot be assigned to",
        {place->kind == ExprKind::element
             ? indices_together(*place)
             : "assign to a variable, an element a[i], or a field of one"});
  expr(s.expressions[0]);
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
    message = name + " is an array: one of its elements is assigned to";
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
  default: break;
  }
  error(place.span, message, help, std::move(notes));
}

/// The value to store, for `+=` and its like with `current` read first.
Typed Checker::assigned_value(const Statement& s, TExpr current, const std::string& target) {
  Typed value = expr(s.expressions[0]);
  if (s.assign_op == AssignOp::set) return coerce(std::move(value), current.type, target);
  if (!value) return std::nullopt;
  std::string op = s.assign_op == AssignOp::add   ? "'+='"
                   : s.assign_op == AssignOp::sub ? "'-='"
                                                  : "'*='";
  if (!require_number(current, op) || !require_number(*value, op)) return std::nullopt;
  Type type = current.type;
  value = coerce(std::move(value), type, target);
  if (!value) return std::nullopt;
  ir::Opcode opcode = s.assign_op == AssignOp::add   ? ir::Opcode::add
                      : s.assign_op == AssignOp::sub ? ir::Opcode::sub
                                                     : ir::Opcode::mul;
  return operation(opcode, type, s.span, operands_of(std::move(current), std::move(*value)));
}

void Checker::assign_variable(const Statement& s, const Expr& place, const Expr* field,
                              std::vector<TStatement>& out) {
  const Entity* found = lookup(place.name);
  if (!found) {
    const bool value = s.assign_op == AssignOp::set && !field;
    unknown_name(place.name, place.span, false,
                 value ? "declare it: var " + place.name + " = " + text(s.expressions[0].span)
                       : "");
  }
  bool variable = found && found->kind == EntityKind::variable &&
                  checked_.variables[static_cast<std::size_t>(found->id)].assignable;
  if (!variable) {
    if (found) not_assignable(*found, place);
    expr(s.expressions[0]);
    return;
  }
  TStatement typed;
  typed.span = s.span;
  typed.symbol = found->id;
  typed.kind = TStatementKind::assign_variable;
  TExpr current = node(TExprKind::variable,
                       checked_.variables[static_cast<std::size_t>(found->id)].type, place.span);
  current.symbol = found->id;
  if (field) {
    auto number = field_number(current.type, field->name, field->span);
    if (!number) {
      expr(s.expressions[0]);
      return;
    }
    const auto& fields = checked_.records[static_cast<std::size_t>(current.type.record)].fields;
    std::vector<TExpr> record;
    record.push_back(std::move(current));
    current = node(TExprKind::field, scalar_type(fields[static_cast<std::size_t>(*number)].type),
                   field->span, std::move(record));
    current.symbol = *number;
    typed.kind = TStatementKind::assign_field;
    typed.field = *number;
  }
  Typed value = assigned_value(s, std::move(current), in_quotes(text(s.place->span)));
  if (!value) return;
  typed.value = std::move(*value);
  out.push_back(std::move(typed));
}

/// The right side is looked at first, then the indices, in the order of their requests.
void Checker::assign_element(const Statement& s, const Expr& place, const Expr* field,
                             std::vector<TStatement>& out) {
  const Entity* found = lookup(place.operands[0].name);
  if (found && found->kind == EntityKind::constant) {
    error(place.span, in_quotes(place.operands[0].name) + " is a constant of the program");
    expr(s.expressions[0]);
    return;
  }
  Typed target = element(place);
  if (target && field) {
    auto number = field_number(target->type, field->name, field->span);
    if (!number) {
      expr(s.expressions[0]);
      return;
    }
    const auto& fields = checked_.records[static_cast<std::size_t>(target->type.record)].fields;
    target->type = scalar_type(fields[static_cast<std::size_t>(*number)].type);
    target->value = ir::Value::of(std::int64_t{*number});
  }
  if (!target) {
    expr(s.expressions[0]);
    return;
  }
  if (!fn_may_write(target->symbol, place.span)) {
    expr(s.expressions[0]);
    return;
  }
  TStatement typed;
  typed.kind = TStatementKind::assign_element;
  typed.span = s.span;
  typed.symbol = target->symbol;
  typed.field = field ? static_cast<std::int32_t>(target->value.integer()) : -1;
  typed.assign_op = s.assign_op;
  typed.indices = target->operands;
  Typed value = assigned_value(s, std::move(*target), in_quotes(text(s.place->span)));
  if (!value) return;
  if (s.assign_op == AssignOp::set) {
    typed.value = std::move(*value);
  } else { // the statement itself reads the target
    typed.value = std::move(value->operands[1]);
  }
  out.push_back(std::move(typed));
}

} // namespace memlane::lang
