// Integer arithmetic that wrapped around, and its messages.
#pragma once

#include "memlane/ir/opcodes.hpp"
#include "memlane/ir/value.hpp"
#include "memlane/support/diagnostic.hpp"

#include <optional>
#include <string>

namespace memlane::ir {

/// An operation whose exact result its integer type cannot hold.
struct Wrap {
  Span span;                         ///< of the expression
  bool of_longs = false;             ///< it was computed in 64 bits
  std::optional<std::int64_t> exact; ///< the exact result, if a long holds it
  std::int64_t made = 0;             ///< the index or extent computed from it
};

/// The wrap of an operation that `apply` gave `result` for; none if the result is exact. Operands
/// are of type `from`, the result of `type`; other than integers never wrap.
std::optional<Wrap> wrap_of(Opcode op, Scalar type, Scalar from, Value a, Value b, Value result,
                            Span span);

/// `n*n wrapped around; use long`.
std::string text(const Wrap& wrap, const Sources& sources);

/// An array's extent that was computed with the wrap, at its place.
Diagnostic wrapped_extent(Span extent, const std::string& array, const Wrap& wrap,
                          const Sources& sources);

/// Whether a result does not depend on the size of its operands: if they wrapped, that is intended,
/// as in a hash.
constexpr bool takes_some_bits(Opcode op) {
  using enum Opcode;
  return op == rem || op == mod || op == mulmod || op == bit_and || op == bit_xor || op == shr;
}

} // namespace memlane::ir
