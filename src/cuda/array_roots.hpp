// What arrays the formals of a program's procs and kernels may denote.
#pragma once

#include "memlane/lang/walk.hpp"

#include <map>
#include <set>

namespace memlane::cuda {

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

} // namespace memlane::cuda
