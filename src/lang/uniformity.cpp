// Uniformity (programs/README.md, "Parallel code"): what may differ between the threads of a block,
// and what may therefore not depend on it. Levels of variables and of control, statement by
// statement; each kernel is analysed by itself, each proc at each call.
#include "uniformity.hpp"

#include <algorithm>

namespace memlane::lang {

void UniformityChecker::run(const TFunction& function) {
  host_ = function.kind == FunctionKind::main || function.kind == FunctionKind::verify;
  if (function.kind != FunctionKind::verify) variables_.clear(); // verify sees main's
  formals_.clear();
  for (const TFormal& formal : function.formals) {
    if (formal.symbol < 0) continue;
    Level level{Uniformity::launch, function.span, "an argument of the launch"};
    if (!formal.array) {
      variables_[formal.symbol] = level;
      continue;
    }
    for (SymbolId extent : checked_.array(formal.symbol).extent_names) {
      if (extent >= 0) variables_[extent] = level;
    }
  }
  settle(function.body, {});
}

/// Walks until nothing rises, then, if errors are wanted, once more for them.
void UniformityChecker::settle(const std::vector<TStatement>& body, const Control& control) {
  bool reporting = std::exchange(reporting_, false);
  const bool around = backward_;
  for (int round = 0; !watch_.stopped(); ++round) {
    const std::int64_t before = rises_;
    // In a chain of assignments against the order of the text, only one variable would rise in a
    // round.
    constexpr int forward_rounds = 4;
    backward_ = round >= forward_rounds && round % 2 == 0;
    walk(body, control);
    if (before == rises_ && !backward_) break;
  }
  backward_ = false;
  reporting_ = reporting || trail_.empty();
  if (reporting_) walk(body, control);
  reporting_ = reporting;
  backward_ = around;
  for (const auto& [id, level] : variables_) {
    Uniformity& known = checked_.variable(id).uniformity;
    known = std::max(known, level.uniformity);
  }
}

namespace {

/// The one at which threads diverge more.
const Control& narrower(const Control& a, const Control& b) {
  return a.level.uniformity < b.level.uniformity ? b : a;
}

} // namespace

/// Threads that have executed a `continue` or `return` do not execute what follows.
void UniformityChecker::walk(const std::vector<TStatement>& body, const Control& control) {
  // In a backward walk, only levels of assigned variables rise.
  for (std::size_t k = 0; k < body.size() && watch_.go_on(); ++k) {
    if (backward_)
      statement(body[body.size() - 1 - k], control);
    else
      statement(body[k], narrower(control, narrower(skipped_, returned_)));
  }
}

void UniformityChecker::statement(const TStatement& s, const Control& control) {
  switch (s.kind) {
  case TStatementKind::assign_variable:
  case TStatementKind::assign_field:
  case TStatementKind::assign_element: return assignment(s, control);
  case TStatementKind::declare_array: return;
  case TStatementKind::declare_view: return check_slice(*checked_.array(s.symbol).target);
  case TStatementKind::if_: {
    const Level level = of(*s.value);
    walk(s.body, narrow(control, level, s.value->span, Divergence::holds));
    walk(s.alternative, narrow(control, level, s.value->span, Divergence::fails));
    return;
  }
  case TStatementKind::while_:
  case TStatementKind::for_: return loop(s, control);
  case TStatementKind::forall: return forall(s, control);
  case TStatementKind::barrier: return require_together(s, control, "`barrier`");
  case TStatementKind::break_: return leave(loops_.back(), control);
  case TStatementKind::continue_: return skip(control);
  case TStatementKind::return_:
    result_ = join(result_, join(of(*s.value), control.level));
    for (const TStatement* loop : loops_) leave(loop, control);
    returned_ = narrower(returned_, control);
    return;
  case TStatementKind::assert_: of(*s.value); return;
  case TStatementKind::print:
    for (const TExpr& e : s.expressions) of(e);
    return;
  case TStatementKind::concurrent: return walk(s.body, control);
  case TStatementKind::call: return call(s, control);
  case TStatementKind::launch:
    for (const TActual& actual : s.actuals) {
      if (actual.value) of(*actual.value);
    }
    return;
  }
}

/// Threads that left do not execute the loop's rounds, from the beginning of this one.
void UniformityChecker::leave(const TStatement* loop, Control control) {
  Control& known = breaks_[loop];
  if (known.level.uniformity >= control.level.uniformity) return;
  if (control.divergence == Divergence::holds) control.divergence = Divergence::broke;
  if (control.divergence == Divergence::fails) control.divergence = Divergence::went_on;
  known = std::move(control);
  ++rises_;
}

void UniformityChecker::skip(Control control) {
  if (control.divergence == Divergence::holds) control.divergence = Divergence::skipped;
  if (control.divergence == Divergence::fails) control.divergence = Divergence::went_through;
  skipped_ = narrower(skipped_, control);
}

/// Only threads that execute a declaration see it. An assignment is seen by all, so its level
/// depends on which threads execute it.
void UniformityChecker::assignment(const TStatement& s, const Control& control) {
  Level level = of(*s.value);
  if (!s.declaration) level = join(level, control.level);
  if (s.kind != TStatementKind::assign_element) return raise(variables_, s.symbol, level);
  for (const TExpr& index : s.indices) level = join(level, of(index));
  raise(arrays_, root_array(checked_, s.symbol, formals_), level);
}

/// Threads leave a loop divergently if its condition, a bound or the way to a `break` differs.
void UniformityChecker::loop(const TStatement& s, const Control& control) {
  Control inner = control;
  if (s.value) inner = narrow(inner, of(*s.value), s.value->span, Divergence::loops);
  for (const TExpr& e : s.expressions) inner = narrow(inner, of(e), e.span, Divergence::counts);
  if (s.kind == TStatementKind::for_) {
    Level level = of(s.expressions[0]);
    if (s.expressions.size() > 2) level = join(level, of(s.expressions[2]));
    raise(variables_, s.symbol, level);
  }
  const Control& left = breaks_[&s];
  if (inner.level.uniformity < left.level.uniformity) inner = left;
  loops_.push_back(&s);
  const Control skipped = skipped_; // all threads execute the next round
  walk(s.body, inner);
  skipped_ = skipped;
  loops_.pop_back();
}

void UniformityChecker::forall(const TStatement& s, const Control& control) {
  require_together(s, control, "`forall`");
  check_ranges(s);
  for (const TRange& range : s.ranges) {
    const VariableSymbol& index = checked_.variable(range.index);
    raise(variables_, range.index,
          {Uniformity::thread, index.span,
           in_quotes(index.name) + " is the index of a `forall`: it differs between threads"});
  }
  Control inner = control;
  if (!s.ranges.empty()) {
    const Level& level = variables_[s.ranges[0].index];
    inner = narrow(control, level, level.span, Divergence::holds);
  }
  const TStatement* before = std::exchange(forall_, &s);
  walk(s.body, inner);
  forall_ = before;
}

void check_uniformity(Checked& checked, const Sources& sources, Diagnostics& errors, Watch& watch) {
  std::vector<bool> called(checked.functions.size());
  UniformityChecker checker(checked, sources, errors, watch);
  for (const TFunction& function : checked.functions)
    each_statement(function.body, [&](const TStatement& s) {
      if (s.kind == TStatementKind::call) called[static_cast<std::size_t>(s.symbol)] = true;
    });
  for (std::size_t i = 0; i < checked.functions.size(); ++i) {
    const TFunction& function = checked.functions[i];
    // A proc without a call is checked by the rules of kernels.
    if (function.kind != FunctionKind::proc || !called[i]) checker.run(function);
  }
}

} // namespace memlane::lang
