// What is decided about irrational numbers by computing them to growing precision.
#include "irrational.hpp"

namespace memlane::exact {
namespace {

using Kind = Generator::Kind;

/// Of a number, rational or not.
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
