// Values of a program's parameters, and conditions over them, without lowering the program.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/lang/check.hpp"
#include "memlane/lang/lower.hpp"
#include "memlane/lang/typed.hpp"
#include "memlane/support/result.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace memlane::lang {

/// The declared parameter of a name, or null.
const ParamSymbol* find_param(const Checked& program, std::string_view name);

/// A value of `-D`, ready for ParamValue::checked. One that depends on nothing is evaluated, in the
/// parameter's type. Errors: those of the checker; a value that the type does not have. Cost: the
/// size of the program, of a literal its own.
Result<TExpr> check_param_value(const Sources& sources, const Checked& program,
                                const ParamSymbol& param, const Expr& value);
/// A whole number in the parameter's type. Errors: one that the type does not have.
Result<TExpr> whole_param_value(const ParamSymbol& param, std::int64_t value, Span span);
TExpr truth_param_value(const ParamSymbol& param, bool value);
/// Whether a checked value depends on nothing: `TExpr::value` has it.
bool is_fitted(const TExpr& checked);

/// The 64-bit number of an expression that names nothing: `2^20`, `3*1024`. Errors: a name, a
/// fraction, a larger number. `what` names it in messages: `the end of a range`.
Result<std::int64_t> whole_number_of(const Sources& sources, const Expr& value,
                                     std::string_view what);

/// All parameters with their values, and an error for each whose `where` they break.
struct BoundParams {
  std::vector<ir::Constant> values;
  Diagnostics broken;
};
/// Errors: the other ones of `lower` about parameters. Cost: the size of their expressions. If
/// `tried`, the parameters could be bound before: conditions are left out, and the sources' limits
/// stop nothing, so that what ended before a stop can be named after it.
Result<BoundParams> bind_params(const Checked& program, const Bindings& bindings,
                                const Sources& sources, bool tried = false);

/// A condition over parameters, constants and the machine, which chooses runs as the `when` of a
/// claim does; it names no counts. Cost: the size of the program.
Result<TExpr> check_condition(const Sources& sources, const Checked& program,
                              const Expr& condition);
/// A number over the counts of a run, parameters, constants and the machine, as a side of a claim.
Result<TExpr> check_number(const Sources& sources, const Checked& program, const Expr& number,
                           const CountNames& counts);

} // namespace memlane::lang
