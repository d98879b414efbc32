// Statements: blocks, declarations, conditions, assignments, loops.
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
  case StatementKind::update: update(s, out); return check_racy(s, out, first);
  case StatementKind::tensor: return tensor(s, out);
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
    if (is_update_call(s)) return update(s, out);
    [[fallthrough]];
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
  Typed value = value_with_update(s.expressions[0]);
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

// Assignments to variables, fields and elements.

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
  if (!assignable) expr(s.expressions[0]); // finds errors of its own
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
  const bool variable = s.assign_op == AssignOp::set && current.kind != TExprKind::element;
  Typed value = variable ? value_with_update(s.expressions[0]) : expr(s.expressions[0]);
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

// `for` and `forall`.

void Checker::for_loop(const Statement& s, std::vector<TStatement>& out) {
  TStatement typed = typed_statement(TStatementKind::for_, s.span);
  typed.down = s.down;
  typed.step_kind = s.step_kind;
  static constexpr const char* names[] = {"the start of a `for`", "the end of a `for`", "a step"};
  for (std::size_t i = 0; i < s.expressions.size(); ++i)
    add_integer(expr(s.expressions[i]), names[i], typed.expressions);
  bool good = typed.expressions.size() == s.expressions.size();
  if (good && typed.expressions.size() == 3) check_step(s, typed.expressions[2]);
  std::vector<TExpr*> all;
  for (TExpr& e : typed.expressions) all.push_back(&e);
  good = good && unify(all);
  locals_.emplace_back();
  if (good) typed.symbol = new_variable(s.name.text, s.name.span, typed.expressions[0].type, false);
  declare_local(s.name, EntityKind::variable, typed.symbol);
  ++loops_;
  statements(s.body, typed.body);
  --loops_;
  locals_.pop_back();
  if (good) out.push_back(std::move(typed));
}

/// A literal step that never arrives.
void Checker::check_step(const Statement& s, const TExpr& step) {
  if (step.kind != TExprKind::literal || !is_integer(step.type)) return;
  std::int64_t value = step.value.integer();
  bool factor = s.step_kind != StepKind::add;
  std::string sign = s.step_kind == StepKind::multiply ? "*" : factor ? "/" : "";
  std::string written = "step " + sign + std::to_string(value);
  if (value < 0) {
    error(step.span, "`" + written + "`: a step is positive",
          factor ? std::vector<std::string>{"write a step of at least " + sign + "2"}
                 : std::vector<std::string>{"count down with `downto`"});
  } else if (value == 0 || (factor && value == 1)) {
    error(step.span, "`" + written + "` never ends",
          {"write a step of at least " + sign + (factor ? "2" : "1")});
  }
}

void Checker::forall(const Statement& s, std::vector<TStatement>& out) {
  TStatement typed = typed_statement(TStatementKind::forall, s.span);
  typed.forall_kind = s.forall_kind;
  typed.chunked = s.chunked;
  bool good = true;
  locals_.emplace_back();
  for (const Range& range : s.ranges) {
    Typed lo = expr(range.lo);
    Typed hi = expr(range.hi);
    bool integers = lo && hi;
    integers = lo && require_integer(*lo, "the start of a range") && integers;
    integers = hi && require_integer(*hi, "the end of a range") && integers;
    if (!integers || !unify({&*lo, &*hi})) {
      good = false;
      declare_local(range.index, EntityKind::variable, -1);
      continue;
    }
    TRange typed_range;
    typed_range.index = new_variable(range.index.text, range.index.span, lo->type, false);
    declare_local(range.index, EntityKind::variable, typed_range.index);
    typed_range.lo = std::move(*lo);
    typed_range.hi = std::move(*hi);
    typed.ranges.push_back(std::move(typed_range));
  }
  if (s.forall_kind == ForallKind::sync) check_sync_body(s.body);
  int loops = std::exchange(loops_, 0);
  bool in_forall = std::exchange(in_forall_, true);
  statements(s.body, typed.body);
  in_forall_ = in_forall;
  loops_ = loops;
  locals_.pop_back();
  if (good) out.push_back(std::move(typed));
}

/// A PRAM step: all values and indices are computed before any element is written.
void Checker::check_sync_body(const std::vector<Statement>& body) {
  for (const Statement& s : body) {
    bool element = false;
    if (s.kind == StatementKind::assign) {
      const Expr& place = s.place->kind == ExprKind::field ? s.place->operands[0] : *s.place;
      element = place.kind == ExprKind::element;
    }
    if (s.kind == StatementKind::if_) {
      check_sync_body(s.body);
      check_sync_body(s.alternative);
    } else if ((s.kind != StatementKind::let && !element) ||
               (!s.expressions.empty() && s.expressions[0].kind == ExprKind::atomic)) {
      error(s.kind == StatementKind::assign ? s.place->span : s.span,
            "a `forall sync` holds only `let`, `if` and assignments to elements");
    }
  }
}

} // namespace memlane::lang
