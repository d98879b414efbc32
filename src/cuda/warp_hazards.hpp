// Where lanes of a warp meet at a word. The model's lanes go from statement to statement together;
// those of a GPU need not, so that they have to wait for each other between two accesses to a word
// if one of them writes, unless there is a barrier of the block.
#pragma once

#include "memlane/lang/typed.hpp"
#include "memlane/support/diagnostic.hpp"

#include <map>
#include <set>
#include <vector>

namespace memlane::cuda {

class WarpHazards {
public:
  explicit WarpHazards(const lang::Checked& checked) : checked_(checked) {}

  /// Looks through a kernel, its procs with it. Errors: lanes that meet in a loop which some of
  /// them left by `break`.
  void analyze(const lang::TFunction& kernel, Diagnostics& errors);

  /// The warp waits before the statement begins.
  bool syncs_before(const lang::TStatement& s) const { return before_.count(&s) > 0; }
  /// … between the reads of an assignment and its write.
  bool syncs_between(const lang::TStatement& s) const { return between_.count(&s) > 0; }
  /// … behind the body of a loop, before its condition is read again.
  bool syncs_after(const lang::TStatement& s) const { return after_.count(&s) > 0; }
  /// An `if` or a loop whose lanes have to know which of them are in it.
  bool needs_mask(const lang::TStatement& s) const { return masked_.count(&s) > 0; }
  /// Whether some statement of the function waits.
  bool has_syncs(const lang::TFunction& function) const;

private:
  struct Access {
    lang::SymbolId array = -1; ///< a memory or shared array; a kernel's formal
    int own = -1;              ///< the dimension that is indexed by thread or lane alone
    bool write = false;
    bool operator<(const Access& other) const {
      return std::tie(array, own, write) < std::tie(other.array, other.own, other.write);
    }
  };
  using Accesses = std::set<Access>;

  bool conflict(const Access& a, const Access& b) const;
  bool conflict(const Accesses& a, const Accesses& b) const;
  void add_reads(const lang::TExpr& e, Accesses& into) const;
  Accesses reads_of(const lang::TStatement& s) const;
  Access access(lang::SymbolId array, const std::vector<lang::TExpr>& indices, bool write) const;
  void all_accesses(const std::vector<lang::TStatement>& body, Accesses& into);
  void bind(const lang::TStatement& call);

  void walk(const std::vector<lang::TStatement>& body, Accesses& pending);
  void assignment(const lang::TStatement& s, Accesses& pending);
  void branch(const lang::TStatement& s, Accesses& pending);
  void loop(const lang::TStatement& s, Accesses& pending);
  void sync_before(const lang::TStatement& s, Accesses& pending);
  bool differs_in_warp(const lang::TExpr& e) const;
  bool exits_divergently(const std::vector<lang::TStatement>& body, bool apart) const;
  bool has_syncs(const std::vector<lang::TStatement>& body) const;

  const lang::Checked& checked_;
  std::set<const lang::TStatement*> before_, between_, after_, masked_;
  std::map<lang::SymbolId, std::pair<lang::SymbolId, bool>> roots_; ///< formals: array, whole
  Accesses broke_, skipped_; ///< pending where the innermost loop is left, where a round ends early
  Diagnostics* errors_ = nullptr;
};

} // namespace memlane::cuda
