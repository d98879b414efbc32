// Where a program whose races are allowed needs fences, and where it waits for other blocks.
//
// The simulator performs all accesses of a run in one order. A GPU orders a thread's accesses to
// different words only at a `__threadfence`. So a thread that writes a value and then a word that
// announces it needs one between the two, and so does a thread that reads the announcement and then
// the value.
#pragma once

#include "array_roots.hpp"

#include "memlane/support/diagnostic.hpp"

#include <set>
#include <vector>

namespace memlane::cuda {

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
