// The rules on what must not differ, and their messages.
#include "uniformity.hpp"

namespace memlane::lang {

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
