// One operation of PTX for one lane, written for being read: what the executor of warps is compared
// with.
#pragma once

#include "memlane/ptx/module.hpp"

#include <cstdint>

namespace memlane::test {

/// Bits of the sources; a predicate is 0 or 1. `carry`: the flag before.
struct ScalarIn {
  std::uint64_t a = 0, b = 0, c = 0, e = 0;
  bool carry = false;
};
struct ScalarOut {
  std::uint64_t d = 0; ///< of a predicate 0 or 1
  bool q = false;
  bool carry = false;
  /// Of results that need not be exact: the largest relative error and absolute error. 0: the bits
  /// are the result.
  double relative = 0, absolute = 0;
  bool known =
      true; ///< false: PTX does not say what the result is, or this does not know the opcode
};

/// Of operations without memory, control or other lanes.
ScalarOut scalar_result(const ptx::Operation& op, const ScalarIn& in);

/// The f16 that a number is rounded to, and its number.
std::uint16_t half_of(double number);
double number_of_half(std::uint16_t bits);

/// Bits of the operands of an operation: 1 of a predicate, 0 of one that it does not have.
struct OperandBits {
  int d = 0, q = 0, a = 0, b = 0, c = 0, e = 0;
};

} // namespace memlane::test
