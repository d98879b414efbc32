#include "irrational.hpp"

#include <algorithm>
#include <cmath>

namespace memlane::exact {
namespace mp = boost::multiprecision;
namespace {

using Kind = Generator::Kind;

/// Numbers of more terms than this end an evaluation.
constexpr std::size_t most_terms = 128;

void add_term(Polynomial& sum, const std::vector<unsigned>& exponents, const Number& coefficient) {
  const auto [term, is_new] = sum.try_emplace(exponents, coefficient);
  if (!is_new) term->second = term->second + coefficient;
  if (term->second == Number(0)) sum.erase(term);
}

bool is_square(const Integer& a) {
  Integer rest;
  mp::sqrt(a, rest);
  return rest == 0;
}

/// Coprime integers above 1 whose powers multiply to each of the given ones.
std::vector<Integer> coprime_factors(std::vector<Integer> left) {
  std::vector<Integer> factors;
  while (!left.empty()) {
    Integer a = left.back();
    left.pop_back();
    if (a == 1) continue;
    const auto common = std::find_if(factors.begin(), factors.end(),
                                     [&](const Integer& b) { return mp::gcd(a, b) != 1; });
    if (common == factors.end()) {
      factors.push_back(std::move(a));
      continue;
    }
    if (*common == a) continue;
    const Integer shared = mp::gcd(a, *common);
    left.insert(left.end(), {a / shared, *common / shared, shared});
    factors.erase(common);
  }
  return factors;
}

/// How often b divides a.
unsigned times_in(Integer a, const Integer& b) {
  unsigned times = 0;
  for (; a % b == 0; a /= b) ++times;
  return times;
}

} // namespace

bool operator==(const Generator& a, const Generator& b) {
  if (a.kind != b.kind) return false;
  if (!a.is_function()) return a.base == b.base;
  const Number difference = *a.argument - *b.argument;
  return difference.rational() && difference == Number(0);
}

Irrational Irrational::from(const Number& a) {
  if (a.irrational()) return *a.irrational();
  Irrational value;
  if (a != Number(0)) value.top_[{}] = a;
  value.bottom_[{}] = Number(1);
  return value;
}

Irrational Irrational::generator(Kind kind, Integer base) {
  Irrational value;
  value.generators_.push_back({kind, std::move(base), nullptr});
  value.top_[{1}] = Number(1);
  value.bottom_[{0}] = Number(1);
  return value;
}

Number Irrational::function(Kind kind, const Number& argument) {
  Irrational value = generator(kind, 0);
  value.generators_.front().argument = std::make_shared<const Number>(argument);
  return number(std::move(value));
}

Polynomial Irrational::product(const Polynomial& a, const Polynomial& b) const {
  Polynomial result;
  for (const auto& [left, x] : a) {
    for (const auto& [right, y] : b) {
      Number coefficient = x * y;
      std::vector<unsigned> exponents = left;
      for (std::size_t k = 0; k < exponents.size(); ++k) {
        exponents[k] += right[k];
        if (generators_[k].kind != Kind::sqrt) continue;
        for (; exponents[k] >= 2; exponents[k] -= 2)
          coefficient = coefficient * Number(generators_[k].base);
      }
      add_term(result, exponents, coefficient);
    }
  }
  return result;
}

/// Puts a polynomial in the new generators in the place of each old one.
void Irrational::replace(const std::vector<Generator>& generators,
                         const std::vector<Polynomial>& images) {
  const std::vector<unsigned> none(generators.size(), 0);
  const Polynomial one{{none, Number(1)}};
  generators_ = generators;
  for (Polynomial* p : {&top_, &bottom_}) {
    Polynomial sum;
    for (const auto& [exponents, coefficient] : *p) {
      Polynomial term{{none, coefficient}};
      for (std::size_t k = 0; k < exponents.size(); ++k)
        for (unsigned times = 0; times < exponents[k]; ++times) term = product(term, images[k]);
      for (const auto& [e, c] : term) add_term(sum, e, c);
    }
    *p = std::move(sum);
  }
}

/// log2(15) becomes log2(3) + log2(5) where log2(3) is a generator, too; sqrt(15) a product.
void Irrational::split_arguments(Kind kind) {
  std::vector<Integer> bases;
  for (const Generator& g : generators_)
    if (g.kind == kind) bases.push_back(g.base);
  if (bases.size() < 2) return;
  const std::vector<Integer> factors = coprime_factors(bases);
  std::vector<Generator> generators;
  for (const Integer& factor : factors)
    if (kind == Kind::log2 || !is_square(factor)) generators.push_back({kind, factor, nullptr});
  for (const Generator& g : generators_)
    if (g.kind != kind) generators.push_back(g);

  const std::vector<unsigned> none(generators.size(), 0);
  std::vector<Polynomial> images;
  for (const Generator& g : generators_) {
    Polynomial image;
    std::vector<unsigned> exponents = none;
    Number coefficient(1);
    for (std::size_t k = 0; k < generators.size(); ++k) {
      if (g.kind != kind && g == generators[k]) exponents[k] = 1;
      if (g.kind != kind || generators[k].kind != kind) continue;
      const unsigned times = times_in(g.base, generators[k].base);
      exponents[k] = kind == Kind::log2 ? (times > 0 ? 1 : 0) : times % 2;
      if (kind == Kind::sqrt)
        coefficient = coefficient * *power(Number(generators[k].base), times / 2);
      if (kind != Kind::log2 || times == 0) continue;
      image[exponents] = Number(static_cast<std::int64_t>(times));
      exponents[k] = 0;
    }
    for (const Integer& factor : factors)
      if (g.kind == kind && kind == Kind::sqrt && is_square(factor))
        coefficient = coefficient * *power(Number(mp::sqrt(factor)), times_in(g.base, factor));
    if (g.kind != kind || kind == Kind::sqrt) image[exponents] = coefficient;
    images.push_back(std::move(image));
  }
  replace(generators, images);
}

/// Gives both the generators of both.
void Irrational::unite(Irrational& a, Irrational& b) {
  std::vector<Generator> all = a.generators_;
  std::vector<std::size_t> place;
  for (const Generator& g : b.generators_) {
    const auto known = std::find(all.begin(), all.end(), g);
    place.push_back(static_cast<std::size_t>(known - all.begin()));
    if (known == all.end()) all.push_back(g);
  }
  const auto widen = [&](Irrational& value, const auto& position) {
    for (Polynomial* p : {&value.top_, &value.bottom_}) {
      Polynomial wide;
      for (const auto& [exponents, coefficient] : *p) {
        std::vector<unsigned> own(all.size(), 0);
        for (std::size_t k = 0; k < exponents.size(); ++k) own[position(k)] = exponents[k];
        wide[own] = coefficient;
      }
      *p = std::move(wide);
    }
    value.generators_ = all;
  };
  widen(a, [](std::size_t k) { return k; });
  widen(b, [&](std::size_t k) { return place[k]; });
}

std::optional<Number> Irrational::rational() const {
  if (top_.empty()) return Number(0);
  const auto& [exponents, coefficient] = *bottom_.begin();
  const auto same = top_.find(exponents);
  if (same == top_.end() || top_.size() != bottom_.size()) return std::nullopt;
  const Number ratio = same->second / coefficient;
  for (const auto& [e, c] : bottom_) {
    const auto above = top_.find(e);
    if (above == top_.end() || !(above->second == c * ratio)) return std::nullopt;
  }
  return ratio;
}

Number Irrational::number(Irrational value) {
  value.split_arguments(Kind::log2);
  value.split_arguments(Kind::sqrt);
  if (auto rational = value.rational()) return *rational;
  // A divisor that is one number is part of the coefficients.
  if (value.bottom_.size() == 1) {
    const auto [exponents, divisor] = *value.bottom_.begin();
    if (std::all_of(exponents.begin(), exponents.end(), [](unsigned e) { return e == 0; })) {
      for (auto& [e, c] : value.top_) c = c / divisor;
      value.bottom_.begin()->second = Number(1);
    }
  }
  return Number(std::make_shared<const Irrational>(std::move(value)));
}

Number Irrational::add(const Number& a, const Number& b) {
  Irrational x = from(a), y = from(b);
  unite(x, y);
  const Polynomial left = x.product(x.top_, y.bottom_);
  Irrational sum = x;
  sum.top_ = x.product(y.top_, x.bottom_);
  for (const auto& [e, c] : left) add_term(sum.top_, e, c);
  sum.bottom_ = x.product(x.bottom_, y.bottom_);
  return number(std::move(sum));
}

Number Irrational::multiply(const Number& a, const Number& b) {
  Irrational x = from(a), y = from(b);
  unite(x, y);
  Irrational result = x;
  result.top_ = x.product(x.top_, y.top_);
  result.bottom_ = x.product(x.bottom_, y.bottom_);
  return number(std::move(result));
}

Number Irrational::divide(const Number& a, const Number& b) {
  Irrational inverse = from(b);
  std::swap(inverse.top_, inverse.bottom_);
  return multiply(a, number(std::move(inverse)));
}

Number Irrational::log2(const Number& a) {
  if (a.irrational()) return function(Kind::log2_of, a);
  Number sum(0);
  for (const bool above : {true, false}) {
    const Integer part = above ? a.numerator() : a.denominator();
    const auto twos = static_cast<std::int64_t>(mp::lsb(part));
    const Integer odd = shift_down(part, -twos);
    const Number own = Number(twos) + (odd == 1 ? Number(0) : number(generator(Kind::log2, odd)));
    sum = above ? own : sum - own;
  }
  return sum;
}

Number Irrational::sqrt(const Number& a) {
  if (a.irrational()) return function(Kind::sqrt_of, a);
  const Integer both = a.numerator() * a.denominator();
  if (is_square(both)) return {mp::sqrt(both), a.denominator()};
  return number(generator(Kind::sqrt, both)) / Number(a.denominator());
}

/// The quotient that 2^(a sum of whole multiples of logarithms) is: n^log2(3) is 3^k for n = 2^k.
std::optional<std::pair<Integer, Integer>> Irrational::exp2_of_logarithms() const {
  if (bottom_.size() != 1 || !(bottom_.begin()->second == Number(1))) return std::nullopt;
  for (const unsigned e : bottom_.begin()->first)
    if (e != 0) return std::nullopt;
  std::pair<Integer, Integer> quotient(1, 1);
  for (const auto& [exponents, coefficient] : top_) {
    Integer base = 2;
    for (std::size_t k = 0; k < exponents.size(); ++k) {
      if (exponents[k] == 0) continue;
      if (exponents[k] > 1 || base != 2 || generators_[k].kind != Kind::log2) return std::nullopt;
      base = generators_[k].base;
    }
    const auto times = coefficient.small();
    if (!times || std::abs(static_cast<double>(*times)) * static_cast<double>(bits(base)) >
                      static_cast<double>(most_bits))
      return std::nullopt;
    Integer& part = *times > 0 ? quotient.first : quotient.second;
    part *= mp::pow(base, static_cast<unsigned>(std::abs(*times)));
  }
  return quotient;
}

Number Irrational::exp2(const Number& a) {
  if (a.irrational()) {
    if (auto quotient = a.irrational()->exp2_of_logarithms())
      return {std::move(quotient->first), std::move(quotient->second)};
  }
  return function(Kind::exp2_of, a);
}

bool Irrational::too_large() const {
  if (top_.size() + bottom_.size() > most_terms) return true;
  for (const Polynomial* p : {&top_, &bottom_})
    for (const auto& [exponents, coefficient] : *p)
      if (coefficient.too_large()) return true;
  return false;
}

} // namespace memlane::exact
