#include "exact/irrational.hpp"
#include "irrational.hpp"

#include <algorithm>

namespace memlane::exact {
namespace mp = boost::multiprecision;

Integer floor_divide(const Integer& a, const Integer& b) {
  Integer quotient, rest;
  mp::divide_qr(a, b, quotient, rest); // rounds toward 0
  if (rest != 0 && (rest < 0) != (b < 0)) --quotient;
  return quotient;
}

Integer ceil_divide(const Integer& a, const Integer& b) { return -floor_divide(-a, b); }

Integer shift_down(const Integer& a, std::int64_t by) {
  return by >= 0 ? Integer(a << static_cast<unsigned>(by))
                 : Integer(a >> static_cast<unsigned>(-by));
}

Integer shift_up(const Integer& a, std::int64_t by) {
  const Integer down = shift_down(a, by);
  return by < 0 && shift_down(down, -by) != a ? Integer(down + 1) : down;
}

namespace {

/// Which of the two bounds is computed.
enum class End { low, high };

Integer shift(const Integer& a, std::int64_t by, End end) {
  return end == End::low ? shift_down(a, by) : shift_up(a, by);
}

/// Integer square root by Newton's iteration from above, begun at the root of the leading half of
/// the bits: twice as many are right after each step.
Integer floor_root(const Integer& a) {
  if (bits(a) <= 128) return mp::sqrt(a);
  const auto dropped = static_cast<std::int64_t>(bits(a) / 4);
  Integer root = shift_down(Integer(floor_root(shift_down(a, -2 * dropped)) + 1), dropped);
  for (;;) {
    Integer next = (root + a / root) / 2;
    if (next >= root) return root;
    root = std::move(next);
  }
}

Integer root_of(const Integer& a, End end) {
  const Integer root = floor_root(a);
  return end == End::high && root * root != a ? Integer(root + 1) : root;
}

/// Least and greatest of f at all four pairs of ends.
template <class Low, class High>
Bounds extremes(const Bounds& a, const Bounds& b, Low&& low, High&& high) {
  Bounds all{low(a.low, b.low), high(a.low, b.low)};
  for (const auto& [x, y] :
       {std::pair(&a.low, &b.high), std::pair(&a.high, &b.low), std::pair(&a.high, &b.high)}) {
    all.low = std::min(all.low, low(*x, *y));
    all.high = std::max(all.high, high(*x, *y));
  }
  return all;
}

/// A bound of log2(x * 2^-bits) for x > 0, a bit for each squaring: log2(x) = e + s + log2(y)/2^k
/// with 1 <= y <= 2 stays true as an inequality when every y is rounded to the same side.
Integer log2_bound(const Integer& x, unsigned bits, End end) {
  const auto exponent = static_cast<std::int64_t>(mp::msb(x)) - static_cast<std::int64_t>(bits);
  const std::int64_t working = 2 * static_cast<std::int64_t>(bits) + 64;
  const Integer two = shift_down(Integer(2), working);
  Integer y = shift(x, working - static_cast<std::int64_t>(mp::msb(x)), end);
  Integer sum = 0;
  for (unsigned k = 0; k < bits; ++k) {
    y = shift(y * y, -working, end);
    sum <<= 1;
    if (y < two) continue;
    y = shift(y, -1, end);
    sum += 1;
  }
  sum += Integer(exponent) * shift_down(Integer(1), bits);
  return end == End::high ? Integer(sum + 1) : sum;
}

/// A bound of 2^(x * 2^-bits): the product of 2^(2^-k) over the bits k of the fraction.
Integer exp2_bound(const Integer& x, unsigned bits, End end) {
  const std::int64_t working = 2 * static_cast<std::int64_t>(bits) + 64;
  const Integer one = shift_down(Integer(1), bits);
  const Integer whole = floor_divide(x, one);
  const Integer fraction = x - whole * one;
  Integer root = shift_down(Integer(2), working);
  Integer product = shift_down(Integer(1), working);
  for (unsigned k = 1; k <= bits; ++k) {
    root = root_of(shift_down(root, working), end);
    if (mp::bit_test(fraction, bits - k)) product = shift(product * root, -working, end);
  }
  const auto by = whole.convert_to<std::int64_t>() + static_cast<std::int64_t>(bits) - working;
  return shift(product, by, end);
}

} // namespace

Bounds bounds_of(const Integer& n, const Integer& d, unsigned bits) {
  const Integer scaled = n * shift_down(Integer(1), bits);
  return {floor_divide(scaled, d), ceil_divide(scaled, d)};
}

Bounds add(const Bounds& a, const Bounds& b) { return {a.low + b.low, a.high + b.high}; }

Bounds multiply(const Bounds& a, const Bounds& b, unsigned bits) {
  const Integer one = shift_down(Integer(1), bits);
  return extremes(
      a, b, [&](const Integer& x, const Integer& y) { return floor_divide(x * y, one); },
      [&](const Integer& x, const Integer& y) { return ceil_divide(x * y, one); });
}

std::optional<Bounds> divide(const Bounds& a, const Bounds& b, unsigned bits) {
  if (b.low <= 0 && b.high >= 0) return std::nullopt;
  const Integer one = shift_down(Integer(1), bits);
  return extremes(
      a, b, [&](const Integer& x, const Integer& y) { return floor_divide(x * one, y); },
      [&](const Integer& x, const Integer& y) { return ceil_divide(x * one, y); });
}

std::optional<Bounds> log2(const Bounds& a, unsigned bits) {
  if (a.low <= 0) return std::nullopt;
  return Bounds{log2_bound(a.low, bits, End::low), log2_bound(a.high, bits, End::high)};
}

std::optional<Bounds> sqrt(const Bounds& a, unsigned bits) {
  if (a.low < 0) return std::nullopt;
  return Bounds{root_of(shift_down(a.low, bits), End::low),
                root_of(shift_down(a.high, bits), End::high)};
}

std::optional<Bounds> exp2(const Bounds& a, unsigned bits) {
  constexpr std::int64_t most = std::int64_t{1} << 17;
  const Integer limit = shift_down(Integer(most), bits);
  if (a.high > limit || a.low < -limit) return std::nullopt;
  return Bounds{exp2_bound(a.low, bits, End::low), exp2_bound(a.high, bits, End::high)};
}

// What is decided about irrational numbers by computing them to growing precision.

namespace {

using Kind = Generator::Kind;

/// The bounds of a number, rational or not.
std::optional<Bounds> bounds_of_number(const Number& a, unsigned bits) {
  if (a.irrational()) return a.irrational()->bounds(bits);
  return bounds_of(a.numerator(), a.denominator(), bits);
}

std::optional<Bounds> bounds_of_generator(const Generator& g, unsigned bits) {
  const std::optional<Bounds> of =
      g.is_function() ? bounds_of_number(*g.argument, bits) : bounds_of(g.base, 1, bits);
  if (!of) return std::nullopt;
  switch (g.kind) {
  case Kind::log2:
  case Kind::log2_of: return log2(*of, bits);
  case Kind::sqrt:
  case Kind::sqrt_of: return sqrt(*of, bits);
  case Kind::exp2_of: return exp2(*of, bits);
  }
  return std::nullopt;
}

/// Calls `decide` with bounds of growing precision until it has an answer.
template <class Decide>
auto refine(const Irrational& value, Decide&& decide)
    -> decltype(decide(std::declval<const Bounds&>(), 0U)) {
  for (unsigned precision = 64; precision <= most_precise; precision *= 2)
    if (const auto bounds = value.bounds(precision))
      if (auto answer = decide(*bounds, precision)) return answer;
  return std::nullopt;
}

} // namespace

std::optional<Bounds> Irrational::bounds_of(const Polynomial& p, const std::vector<Bounds>& values,
                                            unsigned bits) const {
  Bounds sum{0, 0};
  for (const auto& [exponents, coefficient] : p) {
    Bounds term = exact::bounds_of(coefficient.numerator(), coefficient.denominator(), bits);
    for (std::size_t k = 0; k < exponents.size(); ++k)
      for (unsigned times = 0; times < exponents[k]; ++times)
        term = exact::multiply(term, values[k], bits);
    sum = exact::add(sum, term);
  }
  return sum;
}

std::optional<Bounds> Irrational::bounds(unsigned bits) const {
  std::vector<Bounds> values;
  for (const Generator& g : generators_) {
    const auto value = bounds_of_generator(g, bits);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  const auto top = bounds_of(top_, values, bits);
  const auto bottom = bounds_of(bottom_, values, bits);
  return top && bottom ? exact::divide(*top, *bottom, bits) : std::nullopt;
}

int Irrational::sign() const {
  return refine(
             *this,
             [](const Bounds& b, unsigned) {
               return b.low > 0 ? std::optional(1) : b.high < 0 ? std::optional(-1) : std::nullopt;
             })
      .value_or(0);
}

std::optional<Integer> Irrational::floor() const {
  return refine(*this, [](const Bounds& b, unsigned bits) {
    const Integer one = shift_down(Integer(1), bits);
    const Integer low = floor_divide(b.low, one);
    return low == floor_divide(b.high, one) ? std::optional(low) : std::nullopt;
  });
}

double Irrational::to_double() const {
  const auto close = refine(*this, [](const Bounds& b, unsigned bits) {
    const std::size_t size = exact::bits(b.low + b.high);
    const bool enough = size > exact::bits(b.high - b.low) + 70;
    return enough ? std::optional(Number(b.low + b.high, shift_down(Integer(2), bits)).to_double())
                  : std::nullopt;
  });
  return close.value_or(0);
}

std::string Irrational::decimal(unsigned digits) const {
  const Integer scale = boost::multiprecision::pow(Integer(10), digits);
  const auto scaled = refine(*this, [&](const Bounds& b, unsigned bits) {
    const Integer one = shift_down(Integer(1), bits);
    const Integer low = floor_divide(b.low * scale, one);
    return low == floor_divide(b.high * scale, one) ? std::optional(low) : std::nullopt;
  });
  if (!scaled) return Number::approximate(to_double()).text();
  std::string text = boost::multiprecision::abs(*scaled).str();
  if (text.size() <= digits) text.insert(0, digits + 1 - text.size(), '0');
  text.insert(text.size() - digits, 1, '.');
  return (*scaled < 0 ? "-" : "") + text;
}

} // namespace memlane::exact
