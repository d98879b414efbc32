// The values people give parameters on the command line: `-D n=2^10`, `-D commutative=true`.
#pragma once

#include "memlane/ir/value.hpp"
#include "memlane/lang/ast.hpp"
#include "memlane/support/result.hpp"

#include <functional>
#include <optional>
#include <string>

namespace memlane::lang {

/// What a name stands for in a given value: a machine letter or an earlier parameter.
using GivenNames = std::function<std::optional<double>(const std::string&)>;

/// Evaluates literals, names, + - * / % ^, exactly in integers while all operands are; then fits
/// the value to the parameter's type. Errors: other syntax, overflow, a value the type cannot hold.
Result<ir::Value> given_value(const Expr& expr, ir::Scalar type, const std::string& param,
                              const GivenNames& names);

} // namespace memlane::lang
