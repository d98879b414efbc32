// Values and their arithmetic.
#pragma once

#include "memlane/ir/opcodes.hpp"
#include "memlane/support/diagnostic.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memlane::ir {

// Scalar types and values, as registers and memory words hold them.

/// Scalar types, narrowest first: the narrower operand of an operator widens.
enum class Scalar : std::uint8_t { boolean, int32, int64, float32, float64 };

std::string_view name_of(Scalar type);
constexpr bool is_integer(Scalar t) { return t == Scalar::int32 || t == Scalar::int64; }
constexpr bool is_real(Scalar t) { return t == Scalar::float32 || t == Scalar::float64; }
/// Bytes of a word of this type in an array.
constexpr std::int64_t size_of(Scalar t) {
  return t == Scalar::int64 || t == Scalar::float64 ? 8 : t == Scalar::boolean ? 1 : 4;
}

/// One word. Integers and booleans as int64 (an int32 sign-extended), reals as double (a float32
/// exactly representable). Its type is known from the instruction that uses it.
struct Value {
  std::uint64_t bits = 0;

  static constexpr Value of(std::int64_t i) { return {static_cast<std::uint64_t>(i)}; }
  static constexpr Value of(bool b) { return {b ? std::uint64_t{1} : 0}; }
  // The builtin of both compilers, since libc++ 13 lacks std::bit_cast.
  static constexpr Value of(double d) { return {__builtin_bit_cast(std::uint64_t, d)}; }
  constexpr std::int64_t integer() const { return static_cast<std::int64_t>(bits); }
  constexpr double real() const { return __builtin_bit_cast(double, bits); }
  constexpr bool truth() const { return bits != 0; }
  bool operator==(const Value&) const = default;
};

/// The value as a person writes it: `-3`, `true`, the shortest decimal that reads back as the same
/// value.
std::string to_string(Scalar type, Value value);

// What one operation does to values: the single definition of the language's arithmetic, used by
// constant evaluation and by the engines.

/// A result, or the reason there is none ("division by zero"; a literal that outlives the call).
struct Outcome {
  Value value;
  const char* trap = nullptr;
};

/// Applies an operation of the groups "values" (but constant, special), "arithmetic" (but random)
/// and "comparisons" to operands of `type`. int32 and int64 wrap; float32 rounds after each step.
/// min and max of reals leave a NaN out, as C's fmin and fmax, and have -0 below 0: the order of
/// their operands does not matter.
/// For `convert`, `type` is the target and `from` the source: reals truncate to integers, and trap
/// where the integer type cannot hold them; integers wrap.
Outcome apply(Opcode op, Scalar type, Value a, Value b, Value c, Scalar from);

/// The registers of one operation, a value for each lane; d may be one of the operands.
struct Rows {
  Value* d;
  const Value *a, *b, *c;
  const std::uint8_t* mask; ///< the lanes that are not 0 compute
  int lanes;
};

/// The lane that has no result, and why; -1 if there is none.
struct RowOutcome {
  int lane = -1;
  const char* trap = nullptr;
};

/// `apply` lane by lane, up to the first that has no result.
RowOutcome apply_rows(Opcode op, Scalar type, Scalar from, const Rows& rows);

// Integer arithmetic that wrapped around, and its messages.

/// An operation whose exact result its integer type cannot hold.
struct Wrap {
  Span span;                         ///< the expression
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
