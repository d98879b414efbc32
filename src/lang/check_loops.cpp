// `for` and `forall`.
#include "checker.hpp"

namespace memlane::lang {

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
    } else if (s.kind != StatementKind::let && !element) {
      error(s.kind == StatementKind::assign ? s.place->span : s.span,
            "a `forall sync` holds only `let`, `if` and assignments to elements");
    }
  }
}

} // namespace memlane::lang
