// Numbers of 16 bits and fewer: f16 and bf16, and pairs of numbers of 8, 6 or 4 bits
// (PTX ISA 9.0, section 5.2.3). Included inside of anonymous namespaces, so that code for one
// instruction set is not used by another.
#pragma once

/// Which of two neighbours an inexact number becomes.
enum class Toward : std::uint8_t { nearest, zero, down, up, random };

/// How an inexact number is rounded. `random`: away from zero if its part below the last place and
/// `chance`, which is a fraction in units of 2^-64, are at least one together.
struct Narrowing {
  Toward toward = Toward::nearest;
  std::uint64_t chance = 0;
};

/// The bits of infinity, of formats that IEEE 754 has.
template <int fraction, int exponent>
inline constexpr int infinity_of = ((1 << exponent) - 1) << fraction;

/// The `drop` digits that are cut off, as a fraction in units of 2^-64.
inline std::uint64_t fraction_of(std::uint64_t digits, int drop) {
  if (drop <= 64) return digits << (64 - drop);
  return drop < 128 ? digits >> (drop - 64) : 0;
}

/// A number of a format with `fraction` bits behind the point and exponents from 1 - bias. Ties go
/// to even. The value is exact, or a double with an odd last bit. `infinity`: the bits behind those
/// of the largest number.
template <int fraction, int exponent, int infinity = infinity_of<fraction, exponent>>
std::uint16_t rounded_16(double value, Narrowing rounding) {
  const Toward toward = rounding.toward;
  constexpr int bias = (1 << (exponent - 1)) - 1;
  const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, value);
  const bool negative = bits >> 63 != 0;
  const auto sign = static_cast<std::uint16_t>(bits >> 63 << 15);
  const int e = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  if (value != value) return 0x7fff;
  if (e == 1024) return static_cast<std::uint16_t>(sign | infinity);
  if ((bits & ~(std::uint64_t{1} << 63)) == 0) return sign;
  const bool away = toward == Toward::down ? negative : toward == Toward::up && !negative;
  // The digits below the last place, of which at most one more than all are dropped.
  const std::uint64_t digits = (bits & 0xfffffffffffff) | std::uint64_t{1} << 52;
  const int place = e > -bias ? e : 1 - bias; // of subnormal numbers the least
  const int drop = 52 - fraction + place - e;
  std::uint64_t whole = 0, rest = 0, half = 1;
  if (drop <= 54) {
    whole = digits >> drop;
    rest = digits & ((std::uint64_t{1} << drop) - 1);
    half = std::uint64_t{1} << (drop - 1);
  }
  const bool more =
      toward == Toward::nearest  ? drop <= 54 && (rest > half || (rest == half && (whole & 1) != 0))
      : toward == Toward::random ? fraction_of(drop <= 54 ? rest : digits, drop) > ~rounding.chance
                                 : away && (rest != 0 || drop > 54);
  whole += more ? 1 : 0;
  // A carry out of the fraction raises the exponent by itself.
  const std::uint64_t made = e > -bias ? (static_cast<std::uint64_t>(place + bias) << fraction) +
                                             whole - (std::uint64_t{1} << fraction)
                                       : whole;
  if (made < infinity) return static_cast<std::uint16_t>(sign | made);
  const bool largest = toward != Toward::nearest && toward != Toward::random && !away;
  return static_cast<std::uint16_t>(sign | (largest ? infinity - 1 : infinity));
}
template <int fraction, int exponent, int infinity = infinity_of<fraction, exponent>>
float from_16(std::uint16_t bits) {
  constexpr int bias = (1 << (exponent - 1)) - 1;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const int e = bits >> fraction & ((1 << exponent) - 1);
  const auto digits = static_cast<std::uint32_t>(bits & ((1 << fraction) - 1));
  if (const int size = bits & 0x7fff; size >= infinity)
    return __builtin_bit_cast(float, size == infinity_of<fraction, exponent> ? sign | 0x7f800000
                                                                             : 0x7fffffffu);
  if (e > 0)
    return __builtin_bit_cast(float, sign | static_cast<std::uint32_t>(e - bias + 127) << 23 |
                                         digits << (23 - fraction));
  if constexpr (exponent == 8) {
    return __builtin_bit_cast(float, sign | digits << (23 - fraction));
  } else { // exact: the last place of f16 is 2^-24
    const float size = static_cast<float>(digits) / static_cast<float>(1 << (bias - 1 + fraction));
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, size) | sign);
  }
}
struct Half {
  static float to(std::uint16_t bits) { return from_16<10, 5>(bits); }
  static std::uint16_t of(double value, Narrowing rounding = {}) {
    return rounded_16<10, 5>(value, rounding);
  }
};
struct Brain {
  static float to(std::uint16_t bits) { return from_16<7, 8>(bits); }
  static std::uint16_t of(double value, Narrowing rounding = {}) {
    return rounded_16<7, 8>(value, rounding);
  }
};
/// A number of 8 bits or fewer, with its sign in the first one. Pairs of them have `width` bits
/// each.
template <int fraction, int exponent, int infinity, std::uint32_t not_a_number, int width_of = 8>
struct Small {
  static constexpr int sign = fraction + exponent, width = width_of;
  static float to(std::uint32_t bits) {
    const std::uint32_t size = bits & ((1u << sign) - 1);
    return from_16<fraction, exponent, infinity>(
        static_cast<std::uint16_t>((bits >> sign & 1) << 15 | size));
  }
  /// What is too large becomes the largest number (.satfinite).
  static std::uint32_t of(double value) {
    if (value != value) return not_a_number;
    const std::uint32_t bits = rounded_16<fraction, exponent, infinity>(value, {});
    return std::min<std::uint32_t>(bits & 0x7fff, infinity - 1) | bits >> 15 << sign;
  }
};
using E4M3 = Small<3, 4, 0x7f, 0x7f>; // without infinity
using E5M2 = Small<2, 5, 0x7c, 0x7f>;
using E2M3 = Small<3, 2, 0x20, 0x1f>; // NaN is the largest number
using E3M2 = Small<2, 3, 0x20, 0x1f>;
using E2M1 = Small<1, 2, 0x8, 0x7, 4>;
/// A power of two, 2^-127 or more; 255 is NaN. It has no sign: a number's is ignored.
struct UE8M0 {
  static constexpr int width = 8;
  static float to(std::uint32_t bits) {
    constexpr std::uint32_t not_a_number = 0x7fffffff, least = 0x00400000;
    return __builtin_bit_cast(float, bits == 255 ? not_a_number : bits == 0 ? least : bits << 23);
  }
  static std::uint32_t of(float value, bool up, bool finite) {
    constexpr std::uint32_t infinity = 0x7f800000, least = 0x00400000;
    const std::uint32_t size = __builtin_bit_cast(std::uint32_t, value) & 0x7fffffff;
    if (size > infinity) return 255;
    const bool more = up && (size & 0x7fffff) != 0 && size > least;
    return std::min<std::uint32_t>((size >> 23) + (more ? 1 : 0), finite ? 254 : 255);
  }
};
/// A double that rounds to 16 bits as the exact a * b + c does: an inexact sum gets an odd last
/// bit.
inline double odd_fma(double a, double b, double c) {
  const double product = a * b; // exact: two numbers of 11 bits
  const double sum = product + c;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  if (error == 0 || sum != sum || std::isinf(sum)) return sum;
  std::uint64_t bits = __builtin_bit_cast(std::uint64_t, sum);
  if ((bits & 1) == 0) bits += (error > 0) == (sum > 0) ? 1 : ~std::uint64_t{0};
  return __builtin_bit_cast(double, bits);
}
