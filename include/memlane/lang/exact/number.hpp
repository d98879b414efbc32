// The exact numbers of formulas: rational ones of unbounded size, irrational ones (irrational.hpp),
// and doubles where only a ratio is needed.
#pragma once

#include "memlane/ir/opcodes.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace memlane::exact {

// Integers of unbounded size.

using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<>,
                                              boost::multiprecision::et_off>;

/// Bits of |a|; 0 for 0.
inline std::size_t bits(const Integer& a) {
  return a == 0 ? 0 : boost::multiprecision::msb(boost::multiprecision::abs(a)) + 1;
}

/// Quotients rounded toward negative and positive infinity; require b not 0.
Integer floor_divide(const Integer& a, const Integer& b);
Integer ceil_divide(const Integer& a, const Integer& b);

/// a * 2^by for a >= 0, rounded down or up where bits are dropped.
Integer shift_down(const Integer& a, std::int64_t by);
Integer shift_up(const Integer& a, std::int64_t by);

// Numbers: rational, irrational, or doubles.

class Irrational;

/// Numbers that need more bits than this end an evaluation: no formula of a paper does.
constexpr std::size_t most_bits = 65536;

class Number {
public:
  Number() = default; ///< 0
  explicit Number(std::int64_t value) : value_(value) {}
  explicit Number(Integer value);
  /// Requires a denominator that is not 0.
  Number(Integer numerator, Integer denominator);
  /// Requires a value that is not rational.
  explicit Number(std::shared_ptr<const Irrational> value);
  /// A double that replaces an irrational number; NaN if its value is unknown.
  static Number approximate(double value);
  /// The decimal number that a literal with this value is written as; requires a finite one.
  static Number decimal(double value);
  /// Exactly the double; requires a finite one.
  static Number from_double(double value);

  /// Not a double.
  bool exact() const { return !std::holds_alternative<double>(value_); }
  bool rational() const { return exact() && !irrational(); }
  /// Null if it is rational or a double.
  const Irrational* irrational() const {
    const auto* value = std::get_if<std::shared_ptr<const Irrational>>(&value_);
    return value ? value->get() : nullptr;
  }
  bool is_integer() const { return word() || (rational() && denominator() == 1); }
  /// Both require a rational number; they are in lowest terms.
  Integer numerator() const;
  Integer denominator() const;
  /// -1, 0 or 1; 0 also for an irrational number that its bounds cannot tell from 0.
  int sign() const;
  bool too_large() const;
  /// The nearest double or float; infinite beyond their range.
  double to_double() const;
  float to_float() const;
  /// `61`, `-127/2`, or the shortest decimal of the nearest double.
  std::string text() const;
  /// Irrational numbers with 60 digits after the point, so that two with the same nearest double
  /// differ.
  std::string long_text() const;
  /// The same for a message; of long ones only the number of digits.
  std::string brief() const;
  /// The integer, if it is one of 64 bits.
  std::optional<std::int64_t> small() const {
    return word() ? std::optional(*word()) : std::nullopt;
  }

  friend Number operator+(const Number& a, const Number& b);
  friend Number operator-(const Number& a, const Number& b);
  friend Number operator*(const Number& a, const Number& b);
  /// Requires b not 0.
  friend Number operator/(const Number& a, const Number& b);
  /// Unordered: bounds of most_precise bits cannot tell which is greater, or one is NaN.
  friend std::partial_ordering operator<=>(const Number& a, const Number& b);
  friend bool operator==(const Number& a, const Number& b) { return (a <=> b) == 0; }

private:
  /// A rational number that is no integer of 64 bits, in lowest terms.
  struct Fraction;

  /// Most numbers of formulas are integers of 64 bits: these are kept as words.
  const std::int64_t* word() const { return std::get_if<std::int64_t>(&value_); }
  bool both_rational(const Number& other) const { return rational() && other.rational(); }

  std::variant<std::int64_t, double, std::shared_ptr<const Fraction>,
               std::shared_ptr<const Irrational>>
      value_;
};

/// NaN for an irrational number that its bounds cannot tell from an integer.
Number floor(const Number& a);
Number ceil(const Number& a);
Number truncate(const Number& a);
/// Requires a > 0.
Number log2(const Number& a);
/// The same to about 50 bits.
double log2_double(const Number& a);
/// The largest integer not above log2(a), the smallest not below: exact for every exact a > 0.
Number floor_log2(const Number& a);
Number ceil_log2(const Number& a);
/// Requires a >= 0.
Number sqrt(const Number& a);
/// a to a power that is no integer; requires a > 0.
Number real_power(const Number& a, const Number& exponent);
bool is_pow2(const Number& a);
/// a to a whole power; empty if the result has too many bits or terms. Requires not 0 to a negative
/// power.
std::optional<Number> power(const Number& a, std::int64_t exponent);

// Operations on exact numbers, as ir/arithmetic.hpp defines them for words.

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
