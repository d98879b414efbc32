// Where the lanes of a warp have to synchronise. The model's lanes execute each statement together;
// those of a GPU may diverge. So a warp needs a `__syncwarp` between conflicting accesses: of two
// lanes to one word, where at least one writes, without a barrier of the block between them.
#pragma once

#include "array_roots.hpp"

#include "memlane/lang/walk.hpp"
#include "memlane/support/diagnostic.hpp"

#include <map>
#include <set>
#include <vector>

namespace memlane::cuda {

/// Whether it has operations of a warp.
bool uses_warp(const lang::TExpr& e);

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

} // namespace memlane::cuda
