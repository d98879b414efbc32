#include "memlane/lang/exact/number.hpp"

#include "irrational.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>

namespace memlane::exact {
namespace mp = boost::multiprecision;

struct Number::Fraction {
  Integer numerator, denominator;
};

Number::Number(std::shared_ptr<const Irrational> value) : value_(std::move(value)) {}
Number::Number(Integer value) : Number(std::move(value), 1) {}

Number::Number(Integer numerator, Integer denominator) {
  if (denominator < 0) {
    numerator = -numerator;
    denominator = -denominator;
  }
  if (denominator != 1) {
    const Integer common = mp::gcd(numerator, denominator);
    numerator /= common;
    denominator /= common;
  }
  if (denominator == 1 && numerator >= INT64_MIN && numerator <= INT64_MAX)
    value_ = numerator.convert_to<std::int64_t>();
  else
    value_ =
        std::make_shared<const Fraction>(Fraction{std::move(numerator), std::move(denominator)});
}

Integer Number::numerator() const {
  const auto* fraction = std::get_if<std::shared_ptr<const Fraction>>(&value_);
  return fraction ? (*fraction)->numerator : Integer(*word());
}

Integer Number::denominator() const {
  const auto* fraction = std::get_if<std::shared_ptr<const Fraction>>(&value_);
  return fraction ? (*fraction)->denominator : Integer(1);
}

Number Number::approximate(double value) {
  Number number;
  number.value_ = value;
  return number;
}

Number Number::from_double(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent); // value = mantissa * 2^exponent
  const Integer whole(static_cast<std::int64_t>(std::ldexp(mantissa, 53)));
  exponent -= 53;
  return exponent >= 0 ? Number(shift_down(whole, exponent))
                       : Number(whole, shift_down(Integer(1), -exponent));
}

Number Number::decimal(double value) {
  // The shortest decimal that reads back as this double: what was written, up to 15 digits.
  const std::string shortest = fmt::format("{}", value);
  std::string digits;
  std::int64_t exponent = 0;
  bool behind_point = false;
  for (std::size_t i = 0; i < shortest.size(); ++i) {
    const char c = shortest[i];
    if (c == 'e') {
      exponent += std::stoll(shortest.substr(i + 1));
      break;
    }
    if (c == '.') behind_point = true;
    if (c < '0' || c > '9') continue;
    digits += c;
    if (behind_point) --exponent;
  }
  // A leading zero would make the text octal.
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  Integer whole(digits);
  if (value < 0) whole = -whole;
  const Integer scale = mp::pow(Integer(10), static_cast<unsigned>(std::abs(exponent)));
  return exponent >= 0 ? Number(whole * scale) : Number(whole, scale);
}

int Number::sign() const {
  const auto sign_of = [](auto value) { return value > 0 ? 1 : value < 0 ? -1 : 0; };
  if (word()) return sign_of(*word());
  if (irrational()) return irrational()->sign();
  return exact() ? numerator().sign() : sign_of(std::get<double>(value_));
}

bool Number::too_large() const {
  if (irrational()) return irrational()->too_large();
  return exact() && !word() && (bits(numerator()) > most_bits || bits(denominator()) > most_bits);
}

namespace {

/// The quotient rounded once, to a Real. Its first 62 or 63 bits, the last of which says whether
/// bits are left out, are rounded as the quotient is; neither part need fit a Real.
template <class Real>
Real rounded(const Integer& numerator, const Integer& denominator) {
  const auto shift = 62 + static_cast<std::int64_t>(bits(denominator)) -
                     static_cast<std::int64_t>(bits(numerator));
  const Integer size = mp::abs(numerator);
  const Integer dividend = shift >= 0 ? shift_down(size, shift) : size;
  const Integer divisor = shift >= 0 ? denominator : shift_down(denominator, -shift);
  const Integer quotient = dividend / divisor;
  const bool inexact = quotient * divisor != dividend;
  const auto leading = quotient.convert_to<std::int64_t>() | (inexact ? 1 : 0);
  const Real nearest = std::ldexp(static_cast<Real>(leading), static_cast<int>(-shift));
  return numerator < 0 ? -nearest : nearest;
}

} // namespace

double Number::to_double() const {
  if (word()) return static_cast<double>(*word());
  if (irrational()) return irrational()->to_double();
  return exact() ? rounded<double>(numerator(), denominator()) : std::get<double>(value_);
}

float Number::to_float() const {
  if (word()) return static_cast<float>(*word());
  return rational() ? rounded<float>(numerator(), denominator()) : static_cast<float>(to_double());
}

std::string Number::text() const {
  if (!rational()) return fmt::format("{}", to_double());
  return is_integer() ? numerator().str() : numerator().str() + "/" + denominator().str();
}

std::string Number::long_text() const { return irrational() ? irrational()->decimal(60) : text(); }

std::string Number::brief() const {
  const std::string full = text();
  return full.size() <= 40 ? full : fmt::format("a number of {} digits", full.size());
}

Number operator+(const Number& a, const Number& b) {
  std::int64_t sum = 0;
  if (a.word() && b.word() && !__builtin_add_overflow(*a.word(), *b.word(), &sum))
    return Number(sum);
  if (!a.exact() || !b.exact()) return Number::approximate(a.to_double() + b.to_double());
  if (!a.both_rational(b)) return Irrational::add(a, b);
  return {a.numerator() * b.denominator() + b.numerator() * a.denominator(),
          a.denominator() * b.denominator()};
}

Number operator-(const Number& a, const Number& b) { return a + b * Number(-1); }

Number operator*(const Number& a, const Number& b) {
  std::int64_t product = 0;
  if (a.word() && b.word() && !__builtin_mul_overflow(*a.word(), *b.word(), &product))
    return Number(product);
  if (!a.exact() || !b.exact()) return Number::approximate(a.to_double() * b.to_double());
  if (!a.both_rational(b)) return Irrational::multiply(a, b);
  return {a.numerator() * b.numerator(), a.denominator() * b.denominator()};
}

Number operator/(const Number& a, const Number& b) {
  if (!a.exact() || !b.exact()) return Number::approximate(a.to_double() / b.to_double());
  if (!a.both_rational(b)) return Irrational::divide(a, b);
  return {a.numerator() * b.denominator(), a.denominator() * b.numerator()};
}

std::partial_ordering operator<=>(const Number& a, const Number& b) {
  if (a.word() && b.word()) return *a.word() <=> *b.word();
  if (!a.exact() || !b.exact()) return a.to_double() <=> b.to_double();
  if (!a.both_rational(b)) {
    const Number difference = a - b;
    if (!difference.irrational()) return difference <=> Number(0);
    const int sign = difference.sign();
    return sign == 0 ? std::partial_ordering::unordered : std::partial_ordering(sign <=> 0);
  }
  const Integer left = a.numerator() * b.denominator();
  const Integer right = b.numerator() * a.denominator();
  return left < right   ? std::partial_ordering::less
         : left > right ? std::partial_ordering::greater
                        : std::partial_ordering::equivalent;
}

/// floor(a / b) of words, which has no quotient of 64 bits where a is the least and b is -1.
static std::optional<Number> floor_of_words(const Number& a, const Number& b) {
  const auto x = a.small(), y = b.small();
  if (!x || !y || *y == -1) return std::nullopt;
  return Number(*x / *y - (*x % *y != 0 && (*x < 0) != (*y < 0) ? 1 : 0));
}

/// floor(a / b); requires b not 0.
static Number floor_divide(const Number& a, const Number& b) {
  const auto words = floor_of_words(a, b);
  return words ? *words : floor(a / b);
}

static Number ceil_divide(const Number& a, const Number& b) {
  return floor_divide(a * Number(-1), b) * Number(-1);
}

static Number truncate_divide(const Number& a, const Number& b) {
  return a.sign() * b.sign() < 0 ? ceil_divide(a, b) : floor_divide(a, b);
}

Number floor(const Number& a) {
  if (a.small()) return a;
  if (!a.exact()) return Number::approximate(std::floor(a.to_double()));
  if (!a.irrational()) return Number(floor_divide(a.numerator(), a.denominator()));
  const auto whole = a.irrational()->floor();
  return whole ? Number(*whole) : Number::approximate(std::numeric_limits<double>::quiet_NaN());
}

Number ceil(const Number& a) { return floor(a * Number(-1)) * Number(-1); }

Number truncate(const Number& a) { return a.sign() < 0 ? ceil(a) : floor(a); }

bool is_pow2(const Number& a) {
  return a.is_integer() && a.sign() > 0 && mp::lsb(a.numerator()) == mp::msb(a.numerator());
}

Number log2(const Number& a) {
  if (a.exact()) return Irrational::log2(a);
  return Number::approximate(std::log2(a.to_double()));
}

double log2_double(const Number& a) {
  if (!a.rational()) return std::log2(a.to_double());
  // Parts that no double holds: the leading bits and the exponent apart.
  const auto log = [](const Integer& x) {
    const std::int64_t drop = std::max<std::int64_t>(0, static_cast<std::int64_t>(bits(x)) - 64);
    return std::log2(shift_down(x, -drop).convert_to<double>()) + static_cast<double>(drop);
  };
  return log(a.numerator()) - log(a.denominator());
}

Number floor_log2(const Number& a) {
  if (!a.rational()) return floor(log2(a));
  std::int64_t exponent = static_cast<std::int64_t>(bits(a.numerator())) -
                          static_cast<std::int64_t>(bits(a.denominator()));
  // 2^(exponent-1) < a < 2^(exponent+1): one comparison settles it.
  const Number at = exponent >= 0 ? Number(shift_down(Integer(1), exponent))
                                  : Number(Integer(1), shift_down(Integer(1), -exponent));
  return Number(a >= at ? exponent : exponent - 1);
}

Number ceil_log2(const Number& a) {
  if (!a.rational()) return ceil(log2(a));
  return floor_log2(Number(a.denominator(), a.numerator())) * Number(-1);
}

Number sqrt(const Number& a) {
  if (a.exact()) return Irrational::sqrt(a);
  return Number::approximate(std::sqrt(a.to_double()));
}

Number real_power(const Number& a, const Number& exponent) {
  if (!a.exact() || !exponent.exact())
    return Number::approximate(std::pow(a.to_double(), exponent.to_double()));
  if (const auto halves = (exponent * Number(2)).small())
    if (const auto result = power(sqrt(a), *halves)) return *result;
  return Irrational::exp2(exponent * log2(a));
}

std::optional<Number> power(const Number& a, std::int64_t exponent) {
  if (!a.exact())
    return Number::approximate(std::pow(a.to_double(), static_cast<double>(exponent)));
  if (a.irrational()) {
    constexpr std::int64_t most_factors = 64; // more have more terms than a formula of a paper
    if (std::abs(exponent) > most_factors) return std::nullopt;
    Number product(1);
    for (std::int64_t k = 0; k < std::abs(exponent); ++k) {
      product = product * a;
      if (product.too_large()) return std::nullopt;
    }
    return exponent < 0 ? Number(1) / product : product;
  }
  if (a == Number(0)) return exponent == 0 ? Number(1) : Number(0);
  const bool unit = a.is_integer() && mp::abs(a.numerator()) == 1;
  if (unit) return a.sign() < 0 && exponent % 2 != 0 ? a : Number(1);
  // 2^(k-1) <= |part|: the power has more than (k-1) * |exponent| bits.
  const std::size_t size = std::max(bits(a.numerator()), bits(a.denominator()));
  const double magnitude = std::abs(static_cast<double>(exponent));
  if (static_cast<double>(size - 1) * magnitude > static_cast<double>(most_bits))
    return std::nullopt;
  const auto times = static_cast<unsigned>(exponent < 0 ? -exponent : exponent);
  Integer top = mp::pow(a.numerator(), times);
  Integer bottom = mp::pow(a.denominator(), times);
  return exponent < 0 ? Number(bottom, top) : Number(top, bottom);
}

namespace {

Outcome give(Number number) { return {std::move(number)}; }

Outcome none(std::string problem) { return {std::nullopt, std::move(problem)}; }

Outcome too_many_bits() { return none(fmt::format("a number of more than {} bits", most_bits)); }

/// A result that may be irrational: of `what`, nearest to the double.
Outcome real(Number number, double nearest, std::string what) {
  if (number.rational()) return give(std::move(number));
  return {std::move(number), {}, std::move(what), nearest};
}

/// The whole root-th root of a whole number, if it has one that a double holds.
std::optional<Number> whole_root(const Number& a, std::int64_t root) {
  if (!a.is_integer() || root > 64) return std::nullopt;
  const double guess = std::round(std::pow(a.to_double(), 1.0 / static_cast<double>(root)));
  if (!std::isfinite(guess) || guess > 9e15) return std::nullopt;
  const Number candidate(static_cast<std::int64_t>(guess));
  const auto back = power(candidate, root);
  return back && *back == a ? std::optional(candidate) : std::nullopt;
}

Outcome raise_to_whole(const Number& a, const Number& exponent) {
  const bool trivial = a.is_integer() && (a == Number(0) || a == Number(1) || a == Number(-1));
  // Of a huge exponent only its parity matters where the result stays small.
  const auto small = exponent.small();
  const auto result = small     ? power(a, *small)
                      : trivial ? power(a, exponent.numerator() % 2 == 0 ? 2 : 1)
                                : std::nullopt;
  return result ? give(*result) : too_many_bits();
}

Outcome raise(bool whole, const Number& a, const Number& exponent) {
  if (whole && exponent.sign() < 0) return none("negative power of an integer");
  if (a.sign() == 0 && exponent.sign() < 0) return none("division by zero");
  if (exponent.is_integer()) return raise_to_whole(a, exponent);
  if (a.sign() < 0) return none(fmt::format("({})^({})", a.brief(), exponent.brief()));
  if (a.sign() == 0) return give(Number(0));
  const auto times = exponent.rational() ? Number(exponent.numerator()).small() : std::nullopt;
  const auto of = exponent.rational() ? Number(exponent.denominator()).small() : std::nullopt;
  if (times && of)
    if (const auto root = whole_root(a, *of))
      if (const auto result = power(*root, *times)) return give(*result);
  return real(real_power(a, exponent), std::pow(a.to_double(), exponent.to_double()),
              a.brief() + "^(" + exponent.brief() + ")");
}

Outcome remainder(const Number& a, const Number& b, bool floored) {
  if (b.sign() == 0) return none("division by zero");
  return give(a - b * (floored ? floor_divide(a, b) : truncate_divide(a, b)));
}

/// Operators on bits; `symbol` as the program writes them.
Outcome on_bits(std::string_view symbol, const Number& a, const Number& b) {
  const auto x = a.small(), y = b.small();
  if (!x || !y) return none(fmt::format("{} needs integers of 64 bits", symbol));
  if (symbol == "&") return give(Number(*x & *y));
  if (symbol == "|") return give(Number(*x | *y));
  if (symbol == "xor") return give(Number(*x ^ *y));
  const auto scale = *y >= 0 ? power(Number(2), *y) : std::nullopt;
  if (!scale) return none("a shift by " + b.brief());
  return give(symbol == "<<" ? a * *scale : floor(a / *scale));
}

/// The greater or the lesser of two numbers, as `greatest` says.
Outcome extreme(const Number& a, const Number& b, bool greatest) {
  const std::partial_ordering order = b <=> a;
  if (order == std::partial_ordering::unordered) return none(undecided);
  return give((greatest ? order > 0 : order < 0) ? b : a);
}

} // namespace

Outcome apply(ir::Opcode op, bool whole, const Number& a, const Number& b, const Number& c) {
  switch (static_cast<ir::ArithmeticOpcode>(op)) {
  case ir::ArithmeticOpcode::add: return give(a + b);
  case ir::ArithmeticOpcode::sub: return give(a - b);
  case ir::ArithmeticOpcode::mul: return give(a * b);
  case ir::ArithmeticOpcode::div:
    if (b.sign() == 0) return none("division by zero");
    return give(whole ? truncate_divide(a, b) : a / b);
  case ir::ArithmeticOpcode::ceil_div:
    if (b.sign() == 0) return none("division by zero");
    return give(ceil_divide(a, b));
  case ir::ArithmeticOpcode::rem: return remainder(a, b, false);
  case ir::ArithmeticOpcode::mod: return remainder(a, b, true);
  case ir::ArithmeticOpcode::mulmod: return remainder(a * b, c, true);
  case ir::ArithmeticOpcode::pow: return raise(whole, a, b);
  case ir::ArithmeticOpcode::neg: return give(a * Number(-1));
  case ir::ArithmeticOpcode::abs: return give(a.sign() < 0 ? a * Number(-1) : a);
  case ir::ArithmeticOpcode::min: return extreme(a, b, false);
  case ir::ArithmeticOpcode::max: return extreme(a, b, true);
  case ir::ArithmeticOpcode::log2:
    if (a.sign() <= 0) return none("log2(" + a.brief() + ")");
    if (whole) return give(floor_log2(a));
    return real(log2(a), log2_double(a), "log2(" + a.brief() + ")");
  case ir::ArithmeticOpcode::sqrt:
    if (a.sign() < 0) return none("sqrt(" + a.brief() + ")");
    return real(sqrt(a), std::sqrt(a.to_double()), "sqrt(" + a.brief() + ")");
  case ir::ArithmeticOpcode::bit_not:
    if (!a.is_integer()) return none("~ of " + a.brief() + ", no integer");
    return give(a * Number(-1) - Number(1));
  case ir::ArithmeticOpcode::bit_and: return on_bits("&", a, b);
  case ir::ArithmeticOpcode::bit_or: return on_bits("|", a, b);
  case ir::ArithmeticOpcode::bit_xor: return on_bits("xor", a, b);
  case ir::ArithmeticOpcode::shl: return on_bits("<<", a, b);
  case ir::ArithmeticOpcode::shr: return on_bits(">>", a, b);
  case ir::ArithmeticOpcode::invmod: // these are not for formulas
  case ir::ArithmeticOpcode::iterations:
  case ir::ArithmeticOpcode::sin:
  case ir::ArithmeticOpcode::cos:
  case ir::ArithmeticOpcode::exp: break;
  }
  return none("an operation that exact numbers do not have");
}

std::string problem_with(const Number& number) {
  if (number.too_large()) return too_many_bits().problem;
  if (number.exact()) return "";
  if (std::isnan(number.to_double())) return undecided;
  if (std::isinf(number.to_double())) return "a number beyond the range of double";
  return "";
}

} // namespace memlane::exact
