// Uniformity (programs/README.md, "Parallel code"): what may differ between the threads of a block,
// and what may therefore not depend on it. Each kernel is analysed by itself, each proc at each
// call.
#include "uniformity.hpp"

namespace memlane::lang {

void check_uniformity(Checked& checked, const Sources& sources, Diagnostics& errors, Watch& watch) {
  std::vector<bool> called(checked.functions.size());
  UniformityChecker checker(checked, sources, errors, watch);
  for (const TFunction& function : checked.functions)
    each_statement(function.body, [&](const TStatement& s) {
      if (s.kind == TStatementKind::call) called[static_cast<std::size_t>(s.symbol)] = true;
    });
  for (std::size_t i = 0; i < checked.functions.size(); ++i) {
    const TFunction& function = checked.functions[i];
    // A proc without a call is checked by the rules of kernels.
    if (function.kind != FunctionKind::proc || !called[i]) checker.run(function);
  }
}

} // namespace memlane::lang
