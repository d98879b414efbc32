// Rational numbers of unbounded size; what is irrational goes on as the nearest double.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace memlane::claims {

using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                              boost::multiprecision::et_off>;

/// Numbers that need more bits than this end an evaluation: no formula of a paper does.
constexpr std::size_t most_bits = 65536;

class Number {
public:
  Number();
  Number(const Number& other);
  Number(Number&& other) noexcept;
  Number& operator=(const Number& other);
  Number& operator=(Number&& other) noexcept;
  ~Number();
  explicit Number(std::int64_t value);
  explicit Number(Integer value);
  /// Requires a denominator that is not 0.
  Number(Integer numerator, Integer denominator);
  /// An irrational number's nearest double.
  static Number approximate(double value);
  /// The decimal number that a literal with this value is written as; requires a finite one.
  static Number decimal(double value);
  /// Exactly the double; requires a finite one.
  static Number from_double(double value);

  bool exact() const { return exact_; }
  bool is_integer() const { return exact_ && denominator_ == 1; }
  const Integer& numerator() const { return numerator_; }
  const Integer& denominator() const { return denominator_; }
  int sign() const;
  bool too_large() const;
  double to_double() const;
  /// `61`, `-127/2`, or the shortest decimal of an approximate number.
  std::string text() const;
  /// The same for a message: long ones are not spelled out.
  std::string brief() const;
  /// The integer, if it is one of 64 bits.
  std::optional<std::int64_t> small() const;

  friend Number operator+(const Number& a, const Number& b);
  friend Number operator-(const Number& a, const Number& b);
  friend Number operator*(const Number& a, const Number& b);
  /// Requires b not 0.
  friend Number operator/(const Number& a, const Number& b);
  friend std::partial_ordering operator<=>(const Number& a, const Number& b);
  friend bool operator==(const Number& a, const Number& b) { return (a <=> b) == 0; }

private:
  bool exact_ = true;
  Integer numerator_ = 0; ///< in lowest terms
  Integer denominator_ = 1;
  double approximation_ = 0; ///< where not exact
};

Number floor(const Number& a);
Number ceil(const Number& a);
Number truncate(const Number& a);
/// Requires a > 0. Exact for powers of two and their inverses.
Number log2(const Number& a);
/// The largest integer not above log2(a), the smallest not below: exact for every exact a > 0.
Number floor_log2(const Number& a);
Number ceil_log2(const Number& a);
/// Requires a >= 0. Exact for squares.
Number sqrt(const Number& a);
bool is_pow2(const Number& a);
/// a to a whole power; empty if the result has too many bits. Requires not 0 to a negative power.
std::optional<Number> power(const Number& a, std::int64_t exponent);

} // namespace memlane::claims
