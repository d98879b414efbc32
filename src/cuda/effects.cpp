// What functions do: which others they call, which arrays they write.
#include "desugar.hpp"

namespace memlane::cuda {

using namespace lang;

/// The array that a view is part of.
SymbolId Desugarer::root_of(SymbolId array) const {
  while (checked_.array(array).kind == ArrayKind::view) array = checked_.array(array).target->array;
  return array;
}

void Desugarer::each_reached(const TFunction& function,
                             const std::function<void(const TFunction&)>& visit) const {
  visit(function);
  each_statement(function.body, [&](const TStatement& s) {
    if (s.kind == TStatementKind::call) each_reached(checked_.function(s.symbol), visit);
  });
}

void Desugarer::each_launch(const std::function<void(const TStatement&)>& visit) const {
  for (const SymbolId id : {checked_.main, checked_.verify}) {
    if (id < 0) continue;
    each_reached(checked_.function(id), [&](const TFunction& reached) {
      each_statement(reached.body, [&](const TStatement& s) {
        if (s.kind == TStatementKind::launch) visit(s);
      });
    });
  }
}

/// Of all kernels before any is written, since they share procs.
void Desugarer::find_hazards() {
  std::set<SymbolId> kernels;
  each_launch([&](const TStatement& s) {
    if (!kernels.insert(s.symbol).second) return;
    const TFunction& kernel = checked_.function(s.symbol);
    hazards_.analyze(kernel, errors_);
    std::vector<const TFunction*> all;
    each_reached(kernel, [&](const TFunction& reached) { all.push_back(&reached); });
    fences_.analyze(all, !on_dmm() && sizes_of_launches(kernel).blocks != 1);
  });
}

/// Arrays that a function writes, its formals among them.
const std::set<SymbolId>& Desugarer::written_in(const TFunction& function) {
  const auto found = written_.find(&function);
  if (found != written_.end()) return found->second;
  std::set<SymbolId> written;
  each_statement(function.body, [&](const TStatement& s) {
    if (s.kind == TStatementKind::assign_element) written.insert(root_of(s.symbol));
    if (s.kind != TStatementKind::call && s.kind != TStatementKind::launch) return;
    const TFunction& callee = checked_.function(s.symbol);
    const std::set<SymbolId>& inside = written_in(callee);
    for (std::size_t k = 0; k < s.actuals.size(); ++k)
      if (s.actuals[k].array && inside.count(callee.formals[k].symbol) > 0)
        written.insert(root_of(s.actuals[k].array->array));
    for (const SymbolId id : inside)
      if (checked_.array(id).kind != ArrayKind::formal) written.insert(id);
  });
  return written_[&function] = written;
}

} // namespace memlane::cuda
