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
  case TStatementKind::update: of(*s.value); return;
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
  case TStatementKind::assert_:
  case TStatementKind::print:
  case TStatementKind::launch: return each_expression(s, [this](const TExpr& e) { of(e); });
  case TStatementKind::concurrent: return walk(s.body, control);
  case TStatementKind::call: return call(s, control);
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

// Calls of procs: each with levels of its own for the variables of the proc.

/// The levels of a call's arguments.
UniformityChecker::Levels UniformityChecker::formal_levels(const TStatement& s) {
  const TFunction& function = checked_.function(s.symbol);
  Levels levels;
  for (std::size_t i = 0; i < s.actuals.size(); ++i) {
    if (s.actuals[i].value) levels[function.formals[i].symbol] = of(*s.actuals[i].value);
  }
  each_passed(checked_, s, [&](SymbolId formal, const ArraySlice& slice) {
    check_slice(slice);
    Level level{host_ ? Uniformity::launch : Uniformity::constant, slice.span, "an extent"};
    for (const TExpr& e : slice.range) level = join(level, of(e));
    // Without a range, the part of a formal has extents of the formal.
    const ArraySymbol& given = checked_.array(slice.array);
    for (SymbolId extent : given.extent_names) {
      if (slice.range.empty() && extent >= 0) level = join(level, variables_[extent]);
    }
    for (SymbolId extent : checked_.array(formal).extent_names) {
      if (extent >= 0) levels[extent] = level;
    }
  });
  return levels;
}

/// Identifies everything that the levels within a call depend on.
std::string UniformityChecker::call_key(const TStatement& s, const Control& control,
                                        const Levels& given,
                                        const std::map<SymbolId, SymbolId>& arrays) {
  auto number = [](Uniformity u) { return std::to_string(static_cast<int>(u)); };
  std::string key = std::to_string(s.symbol) + (host_ ? "h" : "k");
  key += number(control.level.uniformity);
  for (const auto& [formal, root] : arrays) {
    key += "a" + std::to_string(root) + ":" + number(arrays_[root].uniformity);
  }
  for (const auto& [id, level] : given) key += "," + number(level.uniformity);
  return key;
}

/// Raises the levels of local arrays that a call writes.
void UniformityChecker::apply(const Levels& arrays) {
  for (const auto& [root, level] : arrays) raise(arrays_, root, level);
}

void UniformityChecker::call(const TStatement& s, const Control& control) {
  const TFunction& function = checked_.function(s.symbol);
  Levels variables = formal_levels(s);
  std::map<SymbolId, SymbolId> formals;
  each_passed(checked_, s, [&](SymbolId formal, const ArraySlice& slice) {
    formals[formal] = root_array(checked_, slice.array, formals_);
  });
  bool apart = forall_ != nullptr || control.level.uniformity == Uniformity::thread;
  bool parallel = proc_holds_parallel(s.symbol);
  if (parallel) {
    require_together(s, control,
                     in_quotes(function.name) + ", which holds a `forall` or `barrier`,");
  }
  bool blamed = blamed_ || (parallel && apart);
  std::string key = call_key(s, control, variables, formals);
  auto known = settled_.find(key);
  bool fresh = reporting_ && walked_.insert(key + (blamed ? "b" : "")).second;
  if (known != settled_.end() && !fresh) return apply(known->second);

  std::swap(blamed_, blamed);
  std::swap(variables_, variables);
  std::swap(formals_, formals);
  Levels arrays = arrays_;
  std::map<const TStatement*, Control> breaks;
  std::swap(breaks_, breaks);
  std::int64_t rises = rises_;
  trail_.push_back(s.span);
  settle(function.body, control);
  trail_.pop_back();
  rises_ = rises; // the caller does not depend on the proc's own variables
  std::swap(breaks_, breaks);
  std::swap(arrays_, arrays);
  std::swap(formals_, formals);
  std::swap(variables_, variables);
  std::swap(blamed_, blamed);
  Levels& left = settled_[key];
  for (const auto& [formal, root] : formals) left[root] = arrays[root];
  apply(left);
}

// The rules on what must not differ, and their messages.

void UniformityChecker::error(Span span, std::string message, std::vector<Diagnostic> notes,
                              std::vector<std::string> help) {
  if (!reporting_) return;
  Diagnostic diagnostic = error_at(span, std::move(message), std::move(help));
  diagnostic.notes = std::move(notes);
  add_error(errors_, reported_, std::move(diagnostic), trail_);
}

/// Control under one more condition or bound.
Control UniformityChecker::narrow(const Control& control, const Level& level, Span at,
                                  Divergence divergence) {
  if (level.uniformity <= control.level.uniformity) return control;
  return {level, at, divergence};
}

namespace {

/// Which threads wait at a barrier that not all reach, and where the others are.
std::string waiting_threads(Divergence divergence) {
  switch (divergence) {
  case Divergence::holds: return "threads for which this holds wait, the others never arrive";
  case Divergence::fails:
    return "threads for which this does not hold wait, the others never arrive";
  case Divergence::loops:
    return "threads for which this still holds wait, the others left the loop";
  case Divergence::counts: return "threads with rounds to go wait, the others left the loop";
  case Divergence::skipped:
    return "threads for which this held went on to the next round, the others wait";
  case Divergence::went_through:
    return "threads for which this did not hold went on to the next round, the others wait";
  case Divergence::broke: return "threads for which this held left the loop, the others wait";
  case Divergence::went_on:
    return "threads for which this did not hold left the loop, the others wait";
  }
  return {};
}

} // namespace

/// Barriers, foralls, and calls that hold them.
void UniformityChecker::require_together(const TStatement& s, const Control& control,
                                         const std::string& what) {
  if (blamed_) return;
  if (forall_) {
    error(s.span, what + " is inside a `forall`, whose iterations are independent",
          {note_at(forall_->span, "the `forall` is here")}, idioms_of_nested(s));
  } else if (control.level.uniformity == Uniformity::thread) {
    error(s.span, what + " must be reached by all threads of a block, or by none",
          {note_at(control.at, waiting_threads(control.divergence)),
           note_at(control.level.span, control.level.why)});
  }
}

void UniformityChecker::require(const TExpr& e, Uniformity most, const std::string& what) {
  Level level = of(e);
  if (level.uniformity <= most) return;
  error(e.span,
        what + (most == Uniformity::launch ? " must be the same in the whole launch"
                                           : " must be the same for all threads of a block"),
        {note_at(level.span, level.why)});
}

/// Leading indices may differ between threads: each sees its own row.
void UniformityChecker::check_slice(const ArraySlice& slice) {
  for (const TExpr& e : slice.range) require(e, Uniformity::block, "the bound of a slice");
}

bool UniformityChecker::holds_parallel(const std::vector<TStatement>& body) const {
  for (const TStatement& s : body) {
    if (s.kind == TStatementKind::barrier || s.kind == TStatementKind::forall) return true;
    if (s.kind == TStatementKind::call && proc_holds_parallel(s.symbol)) return true;
    if (holds_parallel(s.body) || holds_parallel(s.alternative)) return true;
  }
  return false;
}

bool UniformityChecker::proc_holds_parallel(SymbolId proc) const {
  auto known = parallel_.find(proc);
  if (known != parallel_.end()) return known->second;
  bool holds = holds_parallel(checked_.function(proc).body);
  parallel_[proc] = holds;
  return holds;
}

} // namespace memlane::lang
