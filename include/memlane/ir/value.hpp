// Scalar types and values, as registers and memory words hold them.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace memlane::ir {

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
  static constexpr Value of(double d) { return {std::bit_cast<std::uint64_t>(d)}; }
  constexpr std::int64_t integer() const { return static_cast<std::int64_t>(bits); }
  constexpr double real() const { return std::bit_cast<double>(bits); }
  constexpr bool truth() const { return bits != 0; }
  bool operator==(const Value&) const = default;
};

/// The value as a person writes it: `-3`, `true`, the shortest decimal that reads back as the same
/// value.
std::string to_string(Scalar type, Value value);

} // namespace memlane::ir
