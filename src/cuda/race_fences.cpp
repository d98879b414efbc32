#include "race_fences.hpp"

#include <algorithm>
#include <utility>

namespace memlane::cuda {

using namespace lang;

RaceFences::RaceFences(const Checked& checked)
    : checked_(checked), may_denote_(checked), any_(!allowed_races(checked.program).empty()),
      all_(checked.program.allows_all_races() != nullptr) {
  if (!any_) return;
  for (const TFunction& function : checked_.functions) {
    if (function.kind != FunctionKind::kernel && function.kind != FunctionKind::proc) continue;
    each_statement(function.body, [&](const TStatement& s) {
      for (const ElementAccess& access : effects_of(s).accesses)
        if (access.writes) written_.merge(may_denote_.of(access.array));
    });
  }
}

/// Whether threads share it.
bool RaceFences::is_outside(SymbolId array) const {
  return may_denote_.any(array,
                         [](const ArraySymbol& root) { return root.kind != ArrayKind::local; });
}

/// Whether the program allows races of the statement's accesses to the array.
bool RaceFences::may_race(SymbolId array, const TStatement& s) const {
  if (s.racy) return is_outside(array);
  const std::set<SymbolId> roots = may_denote_.of(array);
  return std::any_of(roots.begin(), roots.end(), [&](SymbolId root) {
    const ArraySymbol& symbol = checked_.array(root);
    return symbol.kind != ArrayKind::local &&
           (!symbol.races_allowed.empty() || (all_ && written_.count(root) > 0));
  });
}

bool RaceFences::reads_racy(const Effects& effects, const TStatement& s) const {
  return std::any_of(
      effects.accesses.begin(), effects.accesses.end(),
      [&](const ElementAccess& access) { return access.reads && may_race(access.array, s); });
}

void RaceFences::analyze(const std::vector<const TFunction*>& kernel, bool several_blocks) {
  if (!any_) return;
  std::size_t accesses = 0;
  const auto each = [&](const auto& visit) {
    for (const TFunction* function : kernel) each_statement(function->body, visit);
  };
  each([&](const TStatement& s) {
    for (const ElementAccess& access : effects_of(s).accesses) {
      if (!is_outside(access.array)) continue;
      accesses += (access.reads ? 1 : 0) + (access.writes ? 1 : 0);
    }
  });
  const bool makes_others = accesses > 1;
  each([&](const TStatement& s) {
    const Effects effects = effects_of(s);
    for (const ElementAccess& access : effects.accesses)
      if (makes_others && access.writes && may_race(access.array, s)) before_.insert(&s);
    const bool chooses = s.kind == TStatementKind::if_ || s.kind == TStatementKind::while_;
    if (makes_others && reads_racy(effects, s)) {
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
    const Effects effects = effects_of(s);
    if (effects.variable >= 0 && reads_racy(effects, s)) read.insert(effects.variable);
  });
  const auto is_read = [&](const TExpr& part) {
    return part.kind == TExprKind::variable && read.count(part.symbol) > 0;
  };
  const auto ends_by = [&](const TExpr& e, const TStatement& s) {
    return reads_racy(effects_of(e), s) || contains(e, is_read);
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
       "number the blocks as they start (let number = atomic tickets[0] += 1) and wait for lower "
       "numbers alone, launch no more blocks than the GPU holds at a time, or let a second launch "
       "read the word"});
  warning.severity = Severity::warning;
  warnings_.push_back(std::move(warning));
}

} // namespace memlane::cuda
