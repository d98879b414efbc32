// Blocks of fns in claims: the statements of the program in exact arithmetic.
#include "evaluator.hpp"

namespace memlane::claims {

using lang::Statement;
using lang::StatementKind;

/// Every path of a block returns, so it ends in a value or a problem.
Evaluator::Answer Evaluator::block_value(const lang::FnDecl& fn) {
  if (execute(fn.block) == Went::returned) return returned_;
  if (problem_.reason.empty()) fail(not_evaluated("fn '" + fn.name.text + "' returns nothing"));
  return std::nullopt;
}

/// What a block declares ends with it.
Evaluator::Went Evaluator::execute(const std::vector<Statement>& body) {
  const std::size_t outer = arguments_.size();
  Went went = Went::on;
  for (std::size_t k = 0; k < body.size() && went == Went::on; ++k) went = execute(body[k]);
  arguments_.resize(outer);
  return went;
}

Evaluator::Went Evaluator::execute(const Statement& s) {
  const auto failed = [&](const std::string& why) {
    fail(not_evaluated(why));
    return Went::failed;
  };
  if (++steps_ > longest) {
    fail(too_many_steps());
    return Went::failed;
  }
  switch (s.kind) {
  case StatementKind::let:
  case StatementKind::var: {
    Answer value = evaluate(s.expressions[0]);
    if (!value) return Went::failed;
    arguments_.push_back({s.name.text, std::move(*value)});
    return Went::on;
  }
  case StatementKind::assign: return assign(s) ? Went::on : Went::failed;
  case StatementKind::if_: {
    const auto chosen = condition(s.expressions[0]);
    if (!chosen) return Went::failed;
    return execute(*chosen ? s.body : s.alternative);
  }
  case StatementKind::while_:
  case StatementKind::for_: return execute_loop(s);
  case StatementKind::break_: return Went::broke;
  case StatementKind::continue_: return Went::skipped;
  case StatementKind::return_: {
    Answer value = evaluate(s.expressions[0]);
    if (!value) return Went::failed;
    returned_ = std::move(*value);
    return Went::returned;
  }
  case StatementKind::arrays: return failed("a fn with an array: claims have numbers only");
  default: return failed("a statement that claims do not have");
  }
}

bool Evaluator::assign(const Statement& s) {
  const lang::Expr& place = *s.place;
  Answer value = evaluate(s.expressions[0]);
  if (!value) return false;
  // The innermost of that name: parameters and outer variables stand before it.
  std::size_t at = arguments_.size();
  while (at > 0 && (place.kind != lang::ExprKind::name || arguments_[at - 1].name != place.name))
    --at;
  if (at == 0) {
    fail(not_evaluated("a fn with an array or a record: claims have numbers only"));
    return false;
  }
  Value& variable = arguments_[at - 1].value;
  if (s.assign_op == lang::AssignOp::set) {
    variable = std::move(*value);
    return true;
  }
  if (variable.boolean || value->boolean) {
    fail(not_evaluated("a condition where a number belongs"));
    return false;
  }
  const Number now = variable.number;
  value = give(s.assign_op == lang::AssignOp::add   ? now + value->number
               : s.assign_op == lang::AssignOp::sub ? now - value->number
                                                    : now * value->number);
  if (!value) return false;
  variable = std::move(*value);
  return true;
}

/// Bounds and step are evaluated once, and are whole numbers, as in code.
Evaluator::Went Evaluator::execute_loop(const Statement& s) {
  std::vector<Number> bounds;
  for (const lang::Expr& e : s.expressions) {
    if (s.kind == StatementKind::while_) break;
    const auto bound = number(e);
    if (!bound) return Went::failed;
    if (!bound->is_integer()) {
      fail(not_evaluated("a loop to " + bound->brief() + ", which is not whole"));
      return Went::failed;
    }
    bounds.push_back(*bound);
  }
  const bool adds = s.step_kind == lang::StepKind::add;
  const Number step = bounds.size() > 2 ? bounds[2] : Number(1);
  if (step < Number(adds ? 1 : 2)) {
    fail(not_evaluated("a loop with step " + step.brief()));
    return Went::failed;
  }
  for (Number i = bounds.empty() ? Number(0) : bounds[0];;) {
    if (s.kind == StatementKind::for_) {
      if (s.down ? i < bounds[1] : i > bounds[1]) return Went::on;
    } else {
      const auto more = condition(s.expressions[0]);
      if (!more) return Went::failed;
      if (!*more) return Went::on;
    }
    const std::size_t outer = arguments_.size();
    if (s.kind == StatementKind::for_) arguments_.push_back({s.name.text, {false, false, i}});
    const Went went = execute(s.body);
    arguments_.resize(outer);
    if (went == Went::broke) return Went::on;
    if (went == Went::returned || went == Went::failed) return went;
    if (s.step_kind == lang::StepKind::multiply) {
      i = i * step;
    } else if (s.step_kind == lang::StepKind::divide) {
      i = truncate(i / step);
    } else {
      i = s.down ? i - step : i + step;
    }
    if (++steps_ > longest || i.too_large()) {
      fail(too_many_steps());
      return Went::failed;
    }
  }
}

} // namespace memlane::claims
