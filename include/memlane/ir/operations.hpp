// The operations themselves, for code that compiles in what one of them does: with `op` and `type`
// known where it is called, `operations::one` is that operation and nothing else. Other code
// calls `apply` (arithmetic.hpp).
#pragma once

#include "memlane/ir/arithmetic.hpp"

#include <bit>
#include <cmath>
#include <type_traits>

namespace memlane::ir::operations {

__extension__ using Wide = __int128;

inline Outcome trap(const char* why) { return {{}, why}; }

// Integers: int32 lives sign-extended in an int64, so most operations are done on 64 bits, without
// sign where they could overflow, and cut back to 32.

inline std::int64_t wrap(Scalar type, std::uint64_t bits) {
  if (type == Scalar::int32) return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
  return static_cast<std::int64_t>(bits);
}

inline std::uint64_t unsigned_of(std::int64_t i) { return static_cast<std::uint64_t>(i); }

inline Outcome integer(Scalar type, std::uint64_t bits) { return {Value::of(wrap(type, bits))}; }
inline Outcome integer(Scalar type, std::int64_t i) { return integer(type, unsigned_of(i)); }

// A quotient by -1 is a negation, which wraps where the machine's division would overflow.
inline Outcome divide(Opcode op, Scalar type, std::int64_t a, std::int64_t b) {
  if (b == 0) return trap("division by zero");
  if (b == -1) {
    const bool quotient = op == Opcode::div || op == Opcode::ceil_div;
    return integer(type, quotient ? 0 - unsigned_of(a) : std::uint64_t{0});
  }
  // Processors divide short numbers in half the time of long ones.
  const bool short_numbers = ((unsigned_of(a) | unsigned_of(b)) >> 32) == 0;
  const std::int64_t quotient =
      short_numbers ? static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b) : a / b;
  const std::int64_t remainder =
      short_numbers ? static_cast<std::uint32_t>(a) % static_cast<std::uint32_t>(b) : a % b;
  const bool same_sign = (remainder < 0) == (b < 0);
  if (op == Opcode::div) return integer(type, quotient);
  if (op == Opcode::rem) return integer(type, remainder);
  if (op == Opcode::mod)
    return integer(type, remainder != 0 && !same_sign ? remainder + b : remainder);
  return integer(type, remainder != 0 && same_sign ? quotient + 1 : quotient); // ceil_div
}

inline Outcome integer_power(Scalar type, std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return trap("negative power of an integer");
  std::uint64_t result = 1;
  std::uint64_t square = unsigned_of(base);
  for (auto rest = unsigned_of(exponent); rest != 0; rest >>= 1) {
    if (rest & 1) result *= square;
    square *= square;
  }
  return integer(type, result);
}

inline Outcome shift(Opcode op, Scalar type, std::int64_t a, std::int64_t b) {
  const bool narrow = type == Scalar::int32;
  if (b < 0 || b >= (narrow ? 32 : 64))
    return trap(narrow ? "shift of an int by less than 0 or more than 31 bits"
                       : "shift of a long by less than 0 or more than 63 bits");
  if (op == Opcode::shl) return integer(type, unsigned_of(a) << b);
  return integer(type, a >> b); // arithmetic since C++20
}

inline Outcome floor_log2(Scalar type, std::int64_t a) {
  if (a < 1) return trap("log2 of an integer below 1");
  return integer(type, std::int64_t{63} - std::countl_zero(unsigned_of(a)));
}

inline Outcome multiply_modulo(Scalar type, std::int64_t a, std::int64_t b, std::int64_t c) {
  if (c < 1) return trap("mulmod with a modulus below 1");
  const Wide remainder = static_cast<Wide>(a) * b % c;
  return integer(type, static_cast<std::int64_t>(remainder < 0 ? remainder + c : remainder));
}

// Extended Euclid. Wide keeps a + m, with a negative, and the products from overflowing.
inline Outcome inverse_modulo(Scalar type, std::int64_t a, std::int64_t m) {
  if (m < 1) return trap("invmod with a modulus below 1");
  Wide low = m, high = (static_cast<Wide>(a) % m + m) % m;
  Wide low_factor = 0, high_factor = 1;
  while (high != 0) {
    const Wide quotient = low / high;
    const Wide rest = low - quotient * high;
    const Wide rest_factor = low_factor - quotient * high_factor;
    low = high, low_factor = high_factor;
    high = rest, high_factor = rest_factor;
  }
  if (low != 1) return trap("invmod of numbers with a common factor");
  return integer(type, static_cast<std::int64_t>((low_factor % m + m) % m));
}

// The iterations of a forall. The shares of its threads add up to more, so the limit leaves half of
// a word's range for them.
inline Outcome count_iterations(std::int64_t others, std::int64_t low, std::int64_t high) {
  const Wide all = high > low ? (static_cast<Wide>(high) - low) * others : Wide{0};
  if (all > INT64_MAX / 2 + 1) return trap("a forall of more than 2^62 iterations");
  return {Value::of(static_cast<std::int64_t>(all))};
}

// What follows is compiled once for each operation: with `op` known, a switch is its one case.

template <class Number>
[[gnu::always_inline]] inline Outcome relation(Opcode op, Number a, Number b) {
  switch (static_cast<ComparisonOpcode>(op)) {
  case ComparisonOpcode::eq: return {Value::of(a == b)};
  case ComparisonOpcode::ne: return {Value::of(a != b)};
  case ComparisonOpcode::lt: return {Value::of(a < b)};
  case ComparisonOpcode::le: return {Value::of(a <= b)};
  case ComparisonOpcode::is_pow2:
    if constexpr (std::is_integral_v<Number>) return {Value::of(a > 0 && (a & (a - 1)) == 0)};
    break;
  case ComparisonOpcode::logical_not: break; // booleans only
  }
  return trap(std::is_integral_v<Number> ? "this operation is not defined for integers"
                                         : "this operation is not defined for reals");
}

[[gnu::always_inline]] inline Outcome of_integers(Opcode op, Scalar type, std::int64_t a,
                                                  std::int64_t b, std::int64_t c) {
  if (compares(op)) return relation(op, a, b);
  switch (static_cast<ArithmeticOpcode>(op)) {
  case ArithmeticOpcode::add: return integer(type, unsigned_of(a) + unsigned_of(b));
  case ArithmeticOpcode::sub: return integer(type, unsigned_of(a) - unsigned_of(b));
  case ArithmeticOpcode::mul: return integer(type, unsigned_of(a) * unsigned_of(b));
  case ArithmeticOpcode::div:
  case ArithmeticOpcode::rem:
  case ArithmeticOpcode::mod:
  case ArithmeticOpcode::ceil_div: return divide(op, type, a, b);
  case ArithmeticOpcode::pow: return integer_power(type, a, b);
  case ArithmeticOpcode::neg: return integer(type, 0 - unsigned_of(a));
  case ArithmeticOpcode::bit_not: return integer(type, ~a);
  case ArithmeticOpcode::bit_and: return integer(type, a & b);
  case ArithmeticOpcode::bit_or: return integer(type, a | b);
  case ArithmeticOpcode::bit_xor: return integer(type, a ^ b);
  case ArithmeticOpcode::shl:
  case ArithmeticOpcode::shr: return shift(op, type, a, b);
  case ArithmeticOpcode::min: return {Value::of(b < a ? b : a)};
  case ArithmeticOpcode::max: return {Value::of(a < b ? b : a)};
  case ArithmeticOpcode::abs: return integer(type, a < 0 ? 0 - unsigned_of(a) : unsigned_of(a));
  case ArithmeticOpcode::log2: return floor_log2(type, a);
  case ArithmeticOpcode::mulmod: return multiply_modulo(type, a, b, c);
  case ArithmeticOpcode::invmod: return inverse_modulo(type, a, b);
  case ArithmeticOpcode::iterations: return count_iterations(a, b, c);
  case ArithmeticOpcode::sqrt:
  case ArithmeticOpcode::sin:
  case ArithmeticOpcode::cos:
  case ArithmeticOpcode::exp: break;
  }
  return trap("this operation is not defined for integers");
}

// Reals: computed as double and, for float32, rounded. For + - * / and sqrt that is the correctly
// rounded float32 result, as double has more than twice its digits.

inline Outcome real(Scalar type, double d) {
  return {Value::of(type == Scalar::float32 ? static_cast<double>(static_cast<float>(d)) : d)};
}

inline double real_modulo(double a, double b) {
  const double remainder = std::fmod(a, b);
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

// min and max do not depend on the order of their operands: a NaN gives way to the other, as in C's
// fmin and fmax, and -0 is below 0.
inline double least(double a, double b) {
  if (std::isnan(a)) return b;
  if (a == b) return std::signbit(a) ? a : b;
  return b < a ? b : a;
}

inline double greatest(double a, double b) {
  if (std::isnan(a)) return b;
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

[[gnu::always_inline]] inline Outcome of_reals(Opcode op, Scalar type, double a, double b) {
  const bool divides =
      op == Opcode::div || op == Opcode::rem || op == Opcode::mod || op == Opcode::ceil_div;
  if (divides && b == 0) return trap("division by zero");
  if (compares(op)) return relation(op, a, b);
  switch (static_cast<ArithmeticOpcode>(op)) {
  case ArithmeticOpcode::add: return real(type, a + b);
  case ArithmeticOpcode::sub: return real(type, a - b);
  case ArithmeticOpcode::mul: return real(type, a * b);
  case ArithmeticOpcode::div: return real(type, a / b);
  case ArithmeticOpcode::rem: return real(type, std::fmod(a, b));
  case ArithmeticOpcode::mod: return real(type, real_modulo(a, b));
  case ArithmeticOpcode::ceil_div: return real(type, std::ceil(a / b));
  case ArithmeticOpcode::pow: return real(type, std::pow(a, b));
  case ArithmeticOpcode::neg: return real(type, -a);
  case ArithmeticOpcode::min: return real(type, least(a, b));
  case ArithmeticOpcode::max: return real(type, greatest(a, b));
  case ArithmeticOpcode::abs: return real(type, std::fabs(a));
  case ArithmeticOpcode::log2: return real(type, std::log2(a));
  case ArithmeticOpcode::sqrt: return real(type, std::sqrt(a));
  case ArithmeticOpcode::sin: return real(type, std::sin(a));
  case ArithmeticOpcode::cos: return real(type, std::cos(a));
  case ArithmeticOpcode::exp: return real(type, std::exp(a));
  case ArithmeticOpcode::bit_not:
  case ArithmeticOpcode::bit_and:
  case ArithmeticOpcode::bit_or:
  case ArithmeticOpcode::bit_xor:
  case ArithmeticOpcode::shl:
  case ArithmeticOpcode::shr:
  case ArithmeticOpcode::mulmod:
  case ArithmeticOpcode::invmod:
  case ArithmeticOpcode::iterations: break;
  }
  return trap("this operation is not defined for reals");
}

[[gnu::always_inline]] inline Outcome of_booleans(Opcode op, bool a, bool b) {
  if (op == Opcode::bit_and) return {Value::of(a && b)};
  if (op == Opcode::bit_or) return {Value::of(a || b)};
  if (op == Opcode::bit_xor || op == Opcode::ne) return {Value::of(a != b)};
  if (op == Opcode::eq) return {Value::of(a == b)};
  if (op == Opcode::bit_not) return {Value::of(!a)};
  return trap("this operation is not defined for booleans");
}

// The bounds are exact as doubles: the least number an integer type holds, and the first above it.
inline Outcome real_to_integer(Scalar type, double d) {
  if (std::isnan(d)) return trap("conversion of NaN to an integer");
  const double bound = type == Scalar::int32 ? 0x1p31 : 0x1p63;
  const double whole = std::trunc(d);
  if (whole < -bound || whole >= bound)
    return trap(type == Scalar::int32 ? "conversion of a number that int cannot hold"
                                      : "conversion of a number that long cannot hold");
  return {Value::of(static_cast<std::int64_t>(whole))};
}

inline Outcome convert(Scalar to, Scalar from, Value v) {
  if (to == Scalar::boolean) return {Value::of(is_real(from) ? v.real() != 0 : v.truth())};
  if (is_integer(to))
    return is_real(from) ? real_to_integer(to, v.real()) : integer(to, v.integer());
  if (is_real(from)) return real(to, v.real());
  // Straight to float: by way of double a long would be rounded twice.
  return {Value::of(to == Scalar::float32 ? static_cast<double>(static_cast<float>(v.integer()))
                                          : static_cast<double>(v.integer()))};
}

[[gnu::always_inline]] inline Outcome one(Opcode op, Scalar type, Value a, Value b, Value c,
                                          Scalar from) {
  if (op == Opcode::move) return {a};
  if (op == Opcode::select) return {a.truth() ? b : c};
  if (op == Opcode::convert) return convert(type, from, a);
  if (op == Opcode::logical_not) return {Value::of(!a.truth())};
  if (is_integer(type)) return of_integers(op, type, a.integer(), b.integer(), c.integer());
  if (is_real(type)) return of_reals(op, type, a.real(), b.real());
  return of_booleans(op, a.truth(), b.truth());
}

} // namespace memlane::ir::operations
