#include "warp_hazards.hpp"

#include <algorithm>
#include <utility>

namespace memlane::cuda {

using namespace lang;

void WarpHazards::analyze(const TFunction& kernel, Diagnostics& errors) {
  errors_ = &errors;
  roots_.clear();
  // A sync found late in a loop changes what is pending at its start: repeat until none is new.
  const auto all = [this] {
    return before_.size() + between_.size() + after_.size() + masked_.size();
  };
  for (std::size_t found = SIZE_MAX; found != all();) {
    found = all();
    Accesses pending;
    walk(kernel.body, pending);
  }
}

bool WarpHazards::conflict(const Access& a, const Access& b) const {
  if ((!a.write && !b.write) || (a.atomic && b.atomic)) return false;
  const auto outside = [&](const Access& x) {
    const ArrayKind kind = checked_.array(x.array).kind;
    return kind == ArrayKind::formal || kind == ArrayKind::memory;
  };
  const bool formal = checked_.array(a.array).kind == ArrayKind::formal ||
                      checked_.array(b.array).kind == ArrayKind::formal;
  // A kernel's formal may be any array of memory, or part of it.
  if (a.array != b.array) return formal && outside(a) && outside(b);
  return a.own < 0 || a.own != b.own;
}

bool WarpHazards::conflict(const Accesses& a, const Accesses& b) const {
  return std::any_of(a.begin(), a.end(), [&](const Access& x) {
    return std::any_of(b.begin(), b.end(), [&](const Access& y) { return conflict(x, y); });
  });
}

WarpHazards::Access WarpHazards::access(SymbolId array, std::span<const TExpr> indices,
                                        bool write) const {
  bool whole = true;
  for (;;) {
    const ArraySymbol& symbol = checked_.array(array);
    if (const auto bound = roots_.find(array); bound != roots_.end()) {
      whole = whole && bound->second.second;
      array = bound->second.first;
    } else if (symbol.kind == ArrayKind::view) {
      whole = whole && symbol.target->whole;
      array = symbol.target->array;
    } else {
      break;
    }
  }
  Access made{array, -1, write};
  for (std::size_t k = 0; whole && k < indices.size(); ++k) {
    const TExpr& index = indices[k];
    const bool own = index.kind == TExprKind::special &&
                     (index.special == ir::Special::thread || index.special == ir::Special::lane);
    if (own) made.own = int(k);
  }
  return made;
}

/// What it writes, or reads, of arrays that threads share.
WarpHazards::Accesses WarpHazards::accesses_of(const TStatement& s, bool write) const {
  Accesses found;
  for (const ElementAccess& element : effects_of(s).accesses) {
    if (!(write ? element.writes : element.reads)) continue;
    Access made = access(element.array, element.indices, write);
    made.atomic = element.atomic;
    if (checked_.array(made.array).kind != ArrayKind::local) found.insert(made);
  }
  return found;
}

void WarpHazards::bind(const TStatement& call) {
  each_passed(checked_, call, [&](SymbolId formal, const ArraySlice& slice) {
    roots_[formal] = {slice.array, slice.whole};
  });
}

void WarpHazards::all_accesses(const std::vector<TStatement>& body, Accesses& into) {
  for (const TStatement& s : body) {
    for (const bool write : {false, true}) into.merge(accesses_of(s, write));
    if (s.kind == TStatementKind::call) {
      bind(s);
      all_accesses(checked_.function(s.symbol).body, into);
    }
    all_accesses(s.body, into);
    all_accesses(s.alternative, into);
  }
}

void WarpHazards::sync_before(const TStatement& s, Accesses& pending) {
  before_.insert(&s);
  pending.clear();
}

bool WarpHazards::differs_in_warp(const TExpr& e) const {
  return contains(e, [&](const TExpr& part) {
    switch (part.kind) {
    case TExprKind::special:
      return part.special == ir::Special::thread || part.special == ir::Special::lane ||
             part.special == ir::Special::warp;
    case TExprKind::variable:
      return checked_.variable(part.symbol).uniformity == Uniformity::thread;
    case TExprKind::element: // the same for all at equal indices, unless each thread has its own
      return may_denote_.any(
          part.symbol, [&](const ArraySymbol& root) { return root.kind == ArrayKind::local; });
    default: return false;
    }
  });
}

/// Whether some lanes may leave the loop of this body, or end its round, before others.
bool WarpHazards::exits_divergently(const std::vector<TStatement>& body, bool divergent) const {
  for (const TStatement& s : body) {
    const bool leaves = s.kind == TStatementKind::break_ || s.kind == TStatementKind::continue_;
    if (leaves && divergent) return true;
    if (s.kind != TStatementKind::if_) continue;
    const bool inside = divergent || differs_in_warp(*s.value);
    if (exits_divergently(s.body, inside) || exits_divergently(s.alternative, inside)) return true;
  }
  return false;
}

bool uses_warp(const TExpr& e) {
  return contains(e, [](const TExpr& part) { return part.kind == TExprKind::of_warp; });
}

namespace {

bool statement_uses_warp(const TStatement& s) {
  bool uses = false;
  each_expression(s, [&](const TExpr& e) { uses = uses || uses_warp(e); });
  return uses;
}

} // namespace

bool WarpHazards::uses_warp_in(const std::vector<TStatement>& body) const {
  return std::any_of(body.begin(), body.end(), [&](const TStatement& s) {
    if (s.kind == TStatementKind::call) return uses_warp_in(checked_.function(s.symbol).body);
    return statement_uses_warp(s) || uses_warp_in(s.body) || uses_warp_in(s.alternative);
  });
}

bool WarpHazards::has_syncs(const std::vector<TStatement>& body) const {
  return std::any_of(body.begin(), body.end(), [&](const TStatement& s) {
    if (statement_uses_warp(s)) return true;
    if (syncs_before(s) || syncs_between(s) || syncs_after(s) || needs_mask(s)) return true;
    if (s.kind == TStatementKind::call) return has_syncs(checked_.function(s.symbol).body);
    return has_syncs(s.body) || has_syncs(s.alternative);
  });
}

bool WarpHazards::has_syncs(const TFunction& function) const { return has_syncs(function.body); }

void WarpHazards::walk(const std::vector<TStatement>& body, Accesses& pending) {
  for (const TStatement& s : body) {
    switch (s.kind) {
    case TStatementKind::call:
      access(s, pending);
      bind(s);
      walk(checked_.function(s.symbol).body, pending);
      break;
    case TStatementKind::barrier: pending.clear(); break;
    case TStatementKind::break_: broke_.insert(pending.begin(), pending.end()); break;
    case TStatementKind::continue_: skipped_.insert(pending.begin(), pending.end()); break;
    case TStatementKind::if_: branch(s, pending); break;
    case TStatementKind::while_:
    case TStatementKind::for_: loop(s, pending); break;
    case TStatementKind::forall: {
      Accesses all = accesses_of(s, false);
      all_accesses(s.body, all);
      if (conflict(all, pending)) sync_before(s, pending);
      if (uses_warp_in(s.body)) { // its last round may lack lanes
        masked_.insert(&s);
        Accesses inside;
        walk(s.body, inside);
      }
      if (s.forall_kind != ForallKind::grid) {
        pending.clear(); // the barrier at its end
      } else {
        pending.merge(all);
      }
      break;
    }
    default: access(s, pending);
    }
  }
}

/// A statement that is no control: it reads, then it writes.
void WarpHazards::access(const TStatement& s, Accesses& pending) {
  Accesses reads = accesses_of(s, false), writes = accesses_of(s, true);
  if (conflict(reads, pending)) sync_before(s, pending);
  if (conflict(reads, writes)) {
    between_.insert(&s);
    pending.clear();
    reads.clear();
  }
  if (conflict(writes, pending)) sync_before(s, pending);
  pending.merge(reads);
  pending.merge(writes);
}

void WarpHazards::branch(const TStatement& s, Accesses& pending) {
  const Accesses condition = accesses_of(s, false);
  if (conflict(condition, pending)) sync_before(s, pending);
  pending.insert(condition.begin(), condition.end());
  if (!differs_in_warp(*s.value)) {
    Accesses otherwise = pending;
    walk(s.body, pending);
    walk(s.alternative, otherwise);
    pending.merge(otherwise);
    return;
  }
  // Inside, only some lanes can synchronise: those outside do it before.
  Accesses inside;
  all_accesses(s.body, inside);
  all_accesses(s.alternative, inside);
  if (conflict(inside, pending)) sync_before(s, pending);
  Accesses then, otherwise;
  walk(s.body, then);
  walk(s.alternative, otherwise);
  if (has_syncs(s.body) || has_syncs(s.alternative)) masked_.insert(&s);
  pending.merge(inside); // not ordered with what the other lanes do next
}

void WarpHazards::loop(const TStatement& s, Accesses& pending) {
  const Accesses control = accesses_of(s, false);
  if (conflict(control, pending)) sync_before(s, pending);
  const bool breaks = exits_divergently(s.body, false);
  const bool divergent = breaks || (s.value && differs_in_warp(*s.value)) ||
                         std::any_of(s.expressions.begin(), s.expressions.end(),
                                     [&](const TExpr& e) { return differs_in_warp(e); });
  if (!divergent) {
    pending.insert(control.begin(), control.end());
    Accesses broke = std::exchange(broke_, {}), skipped = std::exchange(skipped_, {});
    for (int round = 0; round < 2; ++round) { // the second begins with what the first left
      Accesses again = pending;
      walk(s.body, again);
      again.insert(skipped_.begin(), skipped_.end());
      if (s.value && conflict(control, again)) { // the condition is read again behind the body
        after_.insert(&s);
        again.clear();
      }
      pending.merge(again);
    }
    pending.insert(broke_.begin(), broke_.end());
    broke_ = std::move(broke), skipped_ = std::move(skipped);
    return;
  }
  Accesses inside = control;
  all_accesses(s.body, inside);
  if (conflict(inside, pending)) sync_before(s, pending);
  Accesses left;
  walk(s.body, left);
  const bool asks = s.value && uses_warp(*s.value); // the lanes that are still in the loop
  if (conflict(inside, inside) || has_syncs(s.body) || asks) {
    masked_.insert(&s);
    if (breaks && errors_) {
      const std::string end = "CUDA cannot synchronise these lanes there: let the loop's condition "
                              "end it for each lane";
      errors_->push_back(
          asks || uses_warp_in(s.body)
              ? error_at(s.span,
                         "a warp has operations in a loop that some of its lanes leave by 'break' "
                         "or 'continue'",
                         {end})
              : error_at(s.span,
                         "lanes of a warp may make conflicting accesses in a loop that some of "
                         "them leave by 'break' or 'continue'",
                         {end + ", or put a barrier between the accesses",
                          "in a 'forall', iterations are known to access words of their own"}));
    }
  }
  pending.merge(inside);
}

ArrayRoots::ArrayRoots(const Checked& checked) : checked_(checked) {
  for (const TFunction& function : checked_.functions)
    each_statement(function.body, [&](const TStatement& s) {
      each_passed(checked_, s, [&](SymbolId formal, const ArraySlice& slice) {
        actuals_[formal].insert(slice.array);
      });
    });
}

std::set<SymbolId> ArrayRoots::of(SymbolId array) const {
  const ArraySymbol& symbol = checked_.array(array);
  if (symbol.kind == ArrayKind::view) return of(symbol.target->array);
  if (symbol.kind != ArrayKind::formal) return {array};
  std::set<SymbolId> roots;
  if (const auto actuals = actuals_.find(array); actuals != actuals_.end())
    for (const SymbolId actual : actuals->second) roots.merge(of(actual));
  return roots;
}

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
  std::size_t loads = 0, stores = 0;
  const auto each = [&](const auto& visit) {
    for (const TFunction* function : kernel) each_statement(function->body, visit);
  };
  each([&](const TStatement& s) {
    for (const ElementAccess& access : effects_of(s).accesses) {
      if (!is_outside(access.array)) continue;
      loads += access.reads ? 1 : 0;
      stores += access.writes ? 1 : 0;
    }
  });
  each([&](const TStatement& s) {
    const Effects effects = effects_of(s);
    for (const ElementAccess& access : effects.accesses)
      if (access.writes && stores > 1 && may_race(access.array, s)) before_.insert(&s);
    const bool chooses = s.kind == TStatementKind::if_ || s.kind == TStatementKind::while_;
    if (loads > 1 && reads_racy(effects, s)) {
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
