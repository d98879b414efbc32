// The values that options give parameters: `-D n=2^10`, `-D m=n`, `-D commutative=true`.
#pragma once

#include "memlane/lang/evaluate.hpp"
#include "memlane/lang/values.hpp"
#include "memlane/support/result.hpp"

namespace memlane::lang {

/// The expression over params, consts, fns and machine letters, its numbers exact. Errors: those of
/// the checker. Cost: the size of the program.
Result<TExpr> check_defined_value(const Sources& sources, const Checked& checked, const Expr& value,
                                  const std::string& param);

/// The value in the parameter's type, rounded once if that is a real one. Errors: a value of the
/// wrong kind, not whole, or larger than the type.
Result<ir::Value> fit_to_param(const Evaluated& value, Span span, const ParamSymbol& param);

} // namespace memlane::lang
