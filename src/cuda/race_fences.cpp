#include "race_fences.hpp"

#include "memlane/lang/walk.hpp"

#include <algorithm>

namespace memlane::cuda {

using namespace lang;

RaceFences::RaceFences(const Checked& checked)
    : checked_(checked), any_(!allowed_races(checked.program).empty()),
      all_(checked.program.allows_all_races() != nullptr) {
  if (!any_) return;
  for (const TFunction& function : checked_.functions)
    each_statement(function.body, [&](const TStatement& s) {
      if (s.kind != TStatementKind::call && s.kind != TStatementKind::launch) return;
      const TFunction& callee = checked_.function(s.symbol);
      for (std::size_t k = 0; k < s.actuals.size(); ++k)
        if (s.actuals[k].array)
          actuals_[callee.formals[k].symbol].insert(s.actuals[k].array->array);
    });
  for (const TFunction& function : checked_.functions) {
    if (function.kind != FunctionKind::kernel && function.kind != FunctionKind::proc) continue;
    each_statement(function.body, [&](const TStatement& s) {
      if (s.kind == TStatementKind::assign_element) written_.merge(roots_of(s.symbol));
    });
  }
}

/// The declared arrays that an array may denote.
std::set<SymbolId> RaceFences::roots_of(SymbolId array) const {
  const ArraySymbol& symbol = checked_.array(array);
  if (symbol.kind == ArrayKind::view) return roots_of(symbol.target->array);
  if (symbol.kind != ArrayKind::formal) return {array};
  std::set<SymbolId> roots;
  if (const auto actuals = actuals_.find(array); actuals != actuals_.end())
    for (const SymbolId actual : actuals->second) roots.merge(roots_of(actual));
  return roots;
}

/// Whether threads share it.
bool RaceFences::is_outside(SymbolId array) const {
  const std::set<SymbolId> roots = roots_of(array);
  return std::any_of(roots.begin(), roots.end(),
                     [&](SymbolId root) { return checked_.array(root).kind != ArrayKind::local; });
}

/// Whether the program allows races of the statement's accesses to the array.
bool RaceFences::may_race(SymbolId array, const TStatement& s) const {
  if (s.racy) return is_outside(array);
  const std::set<SymbolId> roots = roots_of(array);
  return std::any_of(roots.begin(), roots.end(), [&](SymbolId root) {
    const ArraySymbol& symbol = checked_.array(root);
    return symbol.kind != ArrayKind::local &&
           (!symbol.races_allowed.empty() || (all_ && written_.count(root) > 0));
  });
}

bool RaceFences::reads_racy(const TExpr& e, const TStatement& s) const {
  return contains(e, [&](const TExpr& part) {
    return part.kind == TExprKind::element && may_race(part.symbol, s);
  });
}

bool RaceFences::reads_racy(const TStatement& s) const {
  bool reads = s.kind == TStatementKind::assign_element && s.assign_op != AssignOp::set &&
               may_race(s.symbol, s);
  each_expression(s, [&](const TExpr& e) { reads = reads || reads_racy(e, s); });
  return reads;
}

void RaceFences::analyze(const std::vector<const TFunction*>& kernel, bool several_blocks) {
  if (!any_) return;
  std::size_t loads = 0, stores = 0;
  const auto each = [&](const auto& visit) {
    for (const TFunction* function : kernel) each_statement(function->body, visit);
  };
  each([&](const TStatement& s) {
    const bool writes = s.kind == TStatementKind::assign_element && is_outside(s.symbol);
    stores += writes ? 1 : 0;
    loads += writes && s.assign_op != AssignOp::set ? 1 : 0;
    each_expression(s, [&](const TExpr& e) {
      each_part(e, [&](const TExpr& part) {
        loads += part.kind == TExprKind::element && is_outside(part.symbol) ? 1 : 0;
      });
    });
  });
  each([&](const TStatement& s) {
    const bool writes = s.kind == TStatementKind::assign_element && may_race(s.symbol, s);
    if (writes && stores > 1) before_.insert(&s);
    const bool chooses = s.kind == TStatementKind::if_ || s.kind == TStatementKind::while_;
    if (loads > 1 && reads_racy(s)) {
      after_.insert(&s);
      if (chooses) inside_.insert(&s);
    }
    if (several_blocks && s.kind == TStatementKind::while_ && waits(s)) warn(s);
  });
}

/// Whether the loop ends by a word that other threads may write: its condition reads one, or a
/// variable that the body sets to one.
bool RaceFences::waits(const TStatement& loop) const {
  std::set<SymbolId> read;
  each_statement(loop.body, [&](const TStatement& s) {
    if (s.kind == TStatementKind::assign_variable && reads_racy(s)) read.insert(s.symbol);
  });
  const auto is_read = [&](const TExpr& part) {
    return part.kind == TExprKind::variable && read.count(part.symbol) > 0;
  };
  const auto ends_by = [&](const TExpr& e, const TStatement& s) {
    return reads_racy(e, s) || contains(e, is_read);
  };
  bool waits = ends_by(*loop.value, loop);
  each_statement(loop.body, [&](const TStatement& s) {
    if (s.kind != TStatementKind::if_ || !ends_by(*s.value, s)) return;
    for (const auto* side : {&s.body, &s.alternative})
      each_statement(*side, [&](const TStatement& inner) {
        waits = waits || inner.kind == TStatementKind::break_;
      });
  });
  return waits;
}

void RaceFences::warn(const TStatement& loop) {
  if (!warned_.insert(&loop).second) return;
  Diagnostic warning = error_at(
      loop.span, "this loop may wait for a word that another block writes",
      {"the simulator starts blocks in the order of their numbers; a GPU promises no order, "
       "and may not start the block that is waited for until this one has ended",
       "launch no more blocks than the GPU holds at a time, or let a second launch read "
       "the word"});
  warning.severity = Severity::warning;
  warnings_.push_back(std::move(warning));
}

} // namespace memlane::cuda
