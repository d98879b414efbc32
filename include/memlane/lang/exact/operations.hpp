// Operations on exact numbers, as ir/arithmetic.hpp defines them for words.
#pragma once

#include "memlane/ir/opcodes.hpp"
#include "memlane/lang/exact/number.hpp"

#include <optional>
#include <string>

namespace memlane::exact {

/// Why a comparison of two irrational numbers has no answer.
constexpr const char* undecided = "two irrational numbers agree to 2048 bits and may be equal";

/// A result, or the reason there is none.
struct Outcome {
  std::optional<Number> value = {};
  std::string problem = {};
  std::string irrational = {}; ///< what the value is where it is irrational, as `log2(3)`
  double nearest = 0;          ///< then the nearest double
};

/// Applies an arithmetic operation that has an exact meaning; others have a problem. Of whole
/// numbers, `/` truncates and log2 is rounded down, as in code; without `whole` both are exact.
Outcome apply(ir::Opcode op, bool whole, const Number& a, const Number& b, const Number& c);

/// Why a number cannot be used: it has too many bits, or bounds cannot tell what it is; else empty.
std::string problem_with(const Number& number);

} // namespace memlane::exact
