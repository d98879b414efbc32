#include "array_roots.hpp"

namespace memlane::cuda {

using namespace lang;

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

} // namespace memlane::cuda
