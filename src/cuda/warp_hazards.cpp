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

} // namespace memlane::cuda
