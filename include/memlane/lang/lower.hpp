// From a checked program, with values for its parameters and the machine's letters, to
// instructions.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/lang/typed.hpp"
#include "memlane/support/result.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace memlane::lang {

/// `-D name=expr`: the text is in `sources`, its name at `name_span` if that is known.
struct ParamValue {
  std::string name;
  Expr value;
  Span name_span = {};
  /// The value as check_param_value returns it (lang/values.hpp), so that many runs need not check
  /// it again; null: not checked yet.
  std::shared_ptr<const TExpr> checked = nullptr;
};

struct Bindings {
  std::map<std::string, std::int64_t, std::less<>> letters; ///< the machine's; absent: undefined
  std::string machine;                                      ///< its name, for messages
  std::vector<ParamValue> params;
  std::string option = "-D"; ///< what gives a parameter another value, for advice
  std::map<std::string, std::string> keys = {}; ///< what sets a letter: p by `threads`; for advice
  /// Warps wait where they need values of reads (requests_in_flight > 1): operands are computed
  /// only where they are needed.
  bool awaits_reads = false;
  const Limits* limits = nullptr; ///< limits of the work; null: those of the sources
};

/// Binds and lowers. Errors: unknown parameter (with the nearest), a value of the wrong type, a
/// broken `where` (parameter, value, condition), a letter the machine does not have, extents that
/// are not positive, an overflow of a constant expression.
Result<ir::Program> lower(const Checked& program, const Bindings& bindings, const Sources& sources);

struct Declared {
  Result<ir::Program> program;
  std::set<std::string>
      asked; ///< the machine's letters that decided it: other machines with them give the same
};
/// The same without code: constants, conditions and arrays, at a fraction of the cost. Errors in
/// what kernels and host code compute are not found.
Declared declare(const Checked& program, const Bindings& bindings, const Sources& sources);

} // namespace memlane::lang
