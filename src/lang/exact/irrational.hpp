// Irrational numbers of claims, exact, and the intervals that tell different ones apart.
#pragma once

#include "memlane/lang/exact/number.hpp"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace memlane::exact {

// Intervals of binary fractions: they enclose an irrational number as closely as asked.

/// The number lies from low to high, both in units of 2^-bits; `bits` is the same for all operands
/// of an operation.
struct Bounds {
  Integer low, high;
};

/// n / d; requires d > 0.
Bounds bounds_of(const Integer& n, const Integer& d, unsigned bits);
Bounds add(const Bounds& a, const Bounds& b);
Bounds multiply(const Bounds& a, const Bounds& b, unsigned bits);
/// Empty if b may be 0.
std::optional<Bounds> divide(const Bounds& a, const Bounds& b, unsigned bits);
/// Empty if a may be 0 or negative. O(bits) squarings of 2 * bits bits.
std::optional<Bounds> log2(const Bounds& a, unsigned bits);
/// Empty if a may be negative.
std::optional<Bounds> sqrt(const Bounds& a, unsigned bits);
/// 2^a; empty if it has more than 2^17 bits. O(bits) square roots of 4 * bits bits.
std::optional<Bounds> exp2(const Bounds& a, unsigned bits);

// Irrational numbers of claims, exact: quotients of polynomials in logarithms and square roots.
//
// Whether two such numbers are equal is a question of algebra, which of two different ones is
// greater one of precision. Logarithms of coprime odd integers are linearly independent over the
// rationals, and so are the products of square roots of coprime non-squares (unique
// factorisation): after arguments are split into coprime factors, a number that is 0 has the
// polynomial 0. Any other number has bounds apart from 0, at some precision.

/// Maximum precision of bounds; beyond it two numbers count as undecided. Only functions of
/// irrational numbers, such as log2(log2(n)^2) - 2*log2(log2(n)), reach it.
constexpr unsigned most_precise = 2048;

/// What a polynomial is in.
struct Generator {
  enum class Kind {
    log2,    ///< the base is an odd integer above 1
    sqrt,    ///< the base is an integer above 1 that is no square
    log2_of, ///< the argument is irrational; these three are never split
    sqrt_of,
    exp2_of,
  };
  Kind kind = Kind::log2;
  Integer base;                           ///< operand of the first two
  std::shared_ptr<const Number> argument; ///< operand of the others

  friend bool operator==(const Generator& a, const Generator& b);
  bool is_function() const { return kind >= Kind::log2_of; }
};

/// Exponents of the generators, and the coefficient: a rational number that is not 0.
using Polynomial = std::map<std::vector<unsigned>, Number>;

class Irrational {
public:
  /// Each of these gives a rational number where the result is one.
  static Number add(const Number& a, const Number& b);
  static Number multiply(const Number& a, const Number& b);
  /// Requires b not 0.
  static Number divide(const Number& a, const Number& b);
  /// Requires a > 0.
  static Number log2(const Number& a);
  /// Requires a >= 0.
  static Number sqrt(const Number& a);
  static Number exp2(const Number& a);

  /// At this precision; empty if it is too low to separate a divisor or an argument from 0.
  std::optional<Bounds> bounds(unsigned bits) const;
  /// -1 or 1; 0 if most_precise cannot tell.
  int sign() const;
  /// The largest integer below it; empty if most_precise cannot tell.
  std::optional<Integer> floor() const;
  double to_double() const;
  /// With so many digits after the point.
  std::string decimal(unsigned digits) const;
  /// Whether it has more terms than any formula of a paper.
  bool too_large() const;

private:
  static Irrational from(const Number& a);
  static Irrational generator(Generator::Kind kind, Integer base);
  static Number function(Generator::Kind kind, const Number& argument);
  static void unite(Irrational& a, Irrational& b);
  static Number number(Irrational value);
  void split_arguments(Generator::Kind kind);
  void replace(const std::vector<Generator>& generators, const std::vector<Polynomial>& images);
  Polynomial product(const Polynomial& a, const Polynomial& b) const;
  std::optional<Bounds> bounds_of(const Polynomial& p, const std::vector<Bounds>& values,
                                  unsigned bits) const;
  std::optional<Number> rational() const;
  std::optional<std::pair<Integer, Integer>> exp2_of_logarithms() const;

  std::vector<Generator> generators_;
  Polynomial top_, bottom_;
};

} // namespace memlane::exact
