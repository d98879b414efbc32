// Conflicts of accesses on a GPU: lanes of a warp that meet at a word, and places where allowed
// races need fences.
#pragma once

#include "memlane/lang/walk.hpp"
#include "memlane/support/diagnostic.hpp"

#include <map>
#include <set>
#include <vector>

namespace memlane::cuda {

/// Whether it has operations of a warp.
bool uses_warp(const lang::TExpr& e);

/// The declared arrays that arrays may denote: a formal those of all its calls and launches.
class ArrayRoots {
public:
  explicit ArrayRoots(const lang::Checked& checked);

  std::set<lang::SymbolId> of(lang::SymbolId array) const;
  /// Whether it is so of one of them.
  template <class F>
  bool any(lang::SymbolId array, F is_so) const {
    for (const lang::SymbolId root : of(array))
      if (is_so(checked_.array(root))) return true;
    return false;
  }

private:
  const lang::Checked& checked_;
  std::map<lang::SymbolId, std::set<lang::SymbolId>> actuals_; ///< arrays that formals are given
};

// Where the lanes of a warp have to synchronise. The model's lanes execute each statement together;
// those of a GPU may diverge. So a warp needs a `__syncwarp` between conflicting accesses: of two
// lanes to one word, where at least one writes, without a barrier of the block between them.

/// Finds conflicting accesses of lanes, and the places of the syncs that order them.
class WarpHazards {
public:
  explicit WarpHazards(const lang::Checked& checked) : checked_(checked), may_denote_(checked) {}

  /// Analyses a kernel and the procs it calls. Errors: conflicting accesses in a loop that some
  /// lanes leave by `break` or `continue`. Cost: the kernel's size with its procs inlined, for each
  /// nesting of loops.
  void analyze(const lang::TFunction& kernel, Diagnostics& errors);

  /// The warp synchronises before the statement begins.
  bool syncs_before(const lang::TStatement& s) const { return before_.count(&s) > 0; }
  /// … between the reads of an assignment and its write.
  bool syncs_between(const lang::TStatement& s) const { return between_.count(&s) > 0; }
  /// … after the body of a loop, before its condition is read again.
  bool syncs_after(const lang::TStatement& s) const { return after_.count(&s) > 0; }
  /// A divergent `if` or loop with syncs in it: their mask is that of the lanes in it.
  bool needs_mask(const lang::TStatement& s) const { return masked_.count(&s) > 0; }
  /// Whether lanes of a warp may have different values of it.
  bool differs_in_warp(const lang::TExpr& e) const;
  /// Whether some statement of the function synchronises.
  bool has_syncs(const lang::TFunction& function) const;

private:
  struct Access {
    lang::SymbolId array = -1; ///< a memory or shared array; a kernel's formal
    int own = -1;              ///< the dimension that is indexed by thread or lane alone
    bool write = false;
    bool atomic = false;
    bool operator<(const Access& other) const {
      return std::tie(array, own, write, atomic) <
             std::tie(other.array, other.own, other.write, other.atomic);
    }
  };
  using Accesses = std::set<Access>;

  bool conflict(const Access& a, const Access& b) const;
  bool conflict(const Accesses& a, const Accesses& b) const;
  Accesses accesses_of(const lang::TStatement& s, bool write) const;
  Access access(lang::SymbolId array, std::span<const lang::TExpr> indices, bool write) const;
  void all_accesses(const std::vector<lang::TStatement>& body, Accesses& into);
  void bind(const lang::TStatement& call);

  void walk(const std::vector<lang::TStatement>& body, Accesses& pending);
  void access(const lang::TStatement& s, Accesses& pending);
  void branch(const lang::TStatement& s, Accesses& pending);
  void loop(const lang::TStatement& s, Accesses& pending);
  void sync_before(const lang::TStatement& s, Accesses& pending);
  bool exits_divergently(const std::vector<lang::TStatement>& body, bool divergent) const;
  bool has_syncs(const std::vector<lang::TStatement>& body) const;
  bool uses_warp_in(const std::vector<lang::TStatement>& body) const;

  const lang::Checked& checked_;
  ArrayRoots may_denote_;
  std::set<const lang::TStatement*> before_, between_, after_, masked_;
  std::map<lang::SymbolId, std::pair<lang::SymbolId, bool>> roots_; ///< formals: array, whole
  Accesses broke_, skipped_; ///< pending at a `break`, at a `continue` of the innermost loop
  Diagnostics* errors_ = nullptr;
};

// Where a program whose races are allowed needs fences, and where it waits for other blocks.
//
// The simulator performs all accesses of a run in one order. A GPU orders a thread's accesses to
// different words only at a `__threadfence`. So a thread that writes a value and then a word that
// announces it needs one between the two, and so does a thread that reads the announcement and then
// the value.

class RaceFences {
public:
  explicit RaceFences(const lang::Checked& checked);

  /// Analyses a kernel with the procs that it calls. `several_blocks`: its launches may have them.
  /// Cost: the kernel's size.
  void analyze(const std::vector<const lang::TFunction*>& kernel, bool several_blocks);

  /// A word that may announce others is written: they are written before.
  bool before(const lang::TStatement& s) const { return before_.count(&s) > 0; }
  /// Such a word is read: what it announces is read behind.
  bool after(const lang::TStatement& s) const { return after_.count(&s) > 0; }
  /// … by the condition of an `if` or `while`: behind it, at the beginning of its blocks.
  bool inside(const lang::TStatement& s) const { return inside_.count(&s) > 0; }

  /// Loops that wait for a word which another block may write.
  const Diagnostics& warnings() const { return warnings_; }

private:
  bool is_outside(lang::SymbolId array) const;
  bool may_race(lang::SymbolId array, const lang::TStatement& s) const;
  bool reads_racy(const lang::Effects& effects, const lang::TStatement& s) const;
  bool waits(const lang::TStatement& loop) const;
  void warn(const lang::TStatement& loop);

  const lang::Checked& checked_;
  ArrayRoots may_denote_;
  bool any_ = false, all_ = false;   ///< races that the program allows
  std::set<lang::SymbolId> written_; ///< memory and shared arrays that kernels write
  std::set<const lang::TStatement*> before_, after_, inside_, warned_;
  Diagnostics warnings_;
};

} // namespace memlane::cuda
