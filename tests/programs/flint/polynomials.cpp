// The programs for polynomials against FLINT: random polynomials, chosen ones, several moduli.
#include "cli/shell.hpp"
#include "support/catch.hpp"

#include <flint/nmod_poly.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace memlane::test {
namespace {

using Coefficients = std::vector<std::uint64_t>; ///< i belongs to x^i; leading zeros are allowed

constexpr std::uint64_t largest_prime = 2147483647, ntt_prime = 998244353;

/// A polynomial of FLINT over the integers modulo q.
class Polynomial {
public:
  explicit Polynomial(std::uint64_t q, const Coefficients& values = {}) {
    nmod_poly_init(poly_, q);
    for (std::size_t i = 0; i < values.size(); ++i)
      nmod_poly_set_coeff_ui(poly_, static_cast<slong>(i), values[i]);
  }
  ~Polynomial() { nmod_poly_clear(poly_); }
  Polynomial(const Polynomial&) = delete;
  Polynomial& operator=(const Polynomial&) = delete;

  nmod_poly_struct* get() { return poly_; }
  /// The first `count` coefficients.
  Coefficients coefficients(std::size_t count) const {
    Coefficients values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = nmod_poly_get_coeff_ui(poly_, static_cast<slong>(i));
    return values;
  }
  std::size_t length() const { return static_cast<std::size_t>(nmod_poly_length(poly_)); }

private:
  nmod_poly_t poly_;
};

class Random {
public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}

  std::uint64_t below(std::uint64_t limit) { return generator_() % limit; }
  /// A polynomial of degree size - 1.
  Coefficients polynomial(std::size_t size, std::uint64_t q) {
    Coefficients values(size);
    for (std::uint64_t& value : values) value = below(q);
    values.back() = 1 + below(q - 1);
    return values;
  }

private:
  std::mt19937_64 generator_;
};

Coefficients product(const Coefficients& x, const Coefficients& y, std::uint64_t q) {
  Polynomial a(q, x), b(q, y), c(q);
  nmod_poly_mul(c.get(), a.get(), b.get());
  return c.coefficients(x.size() + y.size() - 1);
}

Coefficients values_of(const std::string& text) {
  Coefficients values;
  std::istringstream words(text);
  for (std::uint64_t value = 0; words >> value;) values.push_back(value);
  return values;
}

/// Runs a program on two polynomials, and reads an array at its end.
class Machine {
public:
  /// `options`: machine and parameters other than n, m and q.
  Machine(std::string program, std::string options)
      : program_(std::move(program)), options_(std::move(options)) {}

  Outcome run(const Coefficients& a, const Coefficients& b, std::uint64_t q,
              const std::string& outputs) const {
    spit(playground_.folder() + "/a.txt", fmt::format("{}", fmt::join(a, "\n")));
    spit(playground_.folder() + "/b.txt", fmt::format("{}", fmt::join(b, "\n")));
    return playground_.run(
        fmt::format("memlane run {} {} -D q={} -D n={} -D m={} --input a=$T/a.txt"
                    " --input b=$T/b.txt {}",
                    program_, options_, q, a.size(), b.size(), outputs));
  }
  Coefficients output(const std::string& array) const {
    return values_of(slurp(playground_.folder() + "/" + array + "_out.txt"));
  }
  const std::string& program() const { return program_; }
  const std::string& folder() const { return playground_.folder(); }

private:
  Playground playground_;
  std::string program_, options_;
};

void check_division(const Machine& machine, const Coefficients& a, const Coefficients& b,
                    std::uint64_t q) {
  INFO(fmt::format("{} modulo {}\n  a = {}\n  b = {}", machine.program(), q, a, b));
  const Outcome outcome = machine.run(a, b, q, "--output a=$T/a_out.txt --output c=$T/c_out.txt");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  Polynomial dividend(q, a), divisor(q, b), quotient(q), remainder(q);
  nmod_poly_divrem(quotient.get(), remainder.get(), dividend.get(), divisor.get());
  Coefficients rest = machine.output("a");
  rest.resize(std::min(a.size(), b.size() - 1));
  CHECK(rest == remainder.coefficients(rest.size()));
  const Coefficients c = machine.output("c");
  CHECK(c == quotient.coefficients(c.size()));
}

void check_product(const Machine& machine, const Coefficients& a, const Coefficients& b,
                   std::uint64_t q) {
  INFO(fmt::format("{} modulo {}\n  a = {}\n  b = {}", machine.program(), q, a, b));
  const Outcome outcome = machine.run(a, b, q, "--output c=$T/c_out.txt");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  Coefficients c = machine.output("c"); // then zeros
  REQUIRE(c.size() >= a.size() + b.size() - 1);
  const Coefficients rest(c.begin() + static_cast<std::ptrdiff_t>(a.size() + b.size() - 1),
                          c.end());
  CHECK(std::count(rest.begin(), rest.end(), 0U) == static_cast<std::ptrdiff_t>(rest.size()));
  c.resize(a.size() + b.size() - 1);
  CHECK(c == product(a, b, q));
}

void check_gcd(const Machine& machine, const Coefficients& a, const Coefficients& b,
               std::uint64_t q) {
  INFO(fmt::format("{} modulo {}\n  a = {}\n  b = {}", machine.program(), q, a, b));
  const Outcome outcome = machine.run(
      a, b, q, "--output a=$T/a_out.txt --output b=$T/b_out.txt --output degree=$T/degree.csv");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  // A negative degree of a means that a is zero; the other one's leading zeros are no part of it.
  const std::string degrees = slurp(machine.folder() + "/degree.csv");
  Coefficients result = machine.output(degrees.at(0) == '-' ? "b" : "a");
  const std::size_t from = degrees.at(0) == '-' ? degrees.find(',') + 1 : 0;
  const long top = std::stol(degrees.substr(from));
  result.resize(static_cast<std::size_t>(top + 1));
  Polynomial x(q, a), y(q, b), expected(q), found(q, result);
  nmod_poly_gcd(expected.get(), x.get(), y.get());
  if (found.length() > 0) nmod_poly_make_monic(found.get(), found.get());
  CHECK(found.coefficients(found.length()) == expected.coefficients(expected.length()));
}

const std::vector<std::uint64_t> moduli = {2, 3, 61, ntt_prime, largest_prime};

} // namespace

TEST_CASE("polynomial divisions have the quotients and remainders of FLINT", "[release]") {
  const std::string big = " -m hmm-teaching --set threads=64 --set shared.capacity=1024";
  for (const Machine& machine :
       {Machine("division_naive", "-D t=8" + big), Machine("division", "-D s=1" + big),
        Machine("division", "-D s=4" + big), Machine("division", "-D s=7 -D each=3" + big)}) {
    Random random(7);
    for (const std::uint64_t q : moduli) {
      for (const auto& [n, m] : std::vector<std::pair<std::size_t, std::size_t>>{
               {1, 1}, {9, 1}, {5, 5}, {3, 8}, {40, 17}, {41, 40}})
        check_division(machine, random.polynomial(n, q), random.polynomial(m, q), q);
      // Zero remainder, zero quotient coefficients, a zero dividend, leading zeros.
      const Coefficients b = random.polynomial(6, q);
      check_division(machine, product(b, random.polynomial(20, q), q), b, q);
      Coefficients sparse(30);
      sparse[29] = sparse[11] = sparse[0] = 1;
      check_division(machine, sparse, b, q);
      check_division(machine, Coefficients(12), b, q);
      Coefficients low = random.polynomial(12, q);
      low.resize(25);
      check_division(machine, low, b, q);
    }
  }
}

TEST_CASE("polynomial products are those of FLINT", "[release]") {
  const std::string big = " -m hmm-teaching --set threads=64 --set shared.capacity=1024";
  for (const Machine& machine : {Machine("multiplication", "-D s=1 -D t=8" + big),
                                 Machine("multiplication", "-D s=3 -D t=4" + big),
                                 Machine("multiplication", "-D s=9 -D t=2" + big)}) {
    Random random(8);
    for (const std::uint64_t q : moduli) {
      for (const auto& [n, m] : std::vector<std::pair<std::size_t, std::size_t>>{
               {1, 1}, {1, 9}, {9, 1}, {30, 31}, {7, 40}})
        check_product(machine, random.polynomial(n, q), random.polynomial(m, q), q);
      check_product(machine, Coefficients(20), random.polynomial(11, q), q);
      check_product(machine, Coefficients(20, q - 1), Coefficients(13, q - 1), q);
    }
  }
}

TEST_CASE("polynomial products by transforms are those of FLINT", "[release]") {
  const std::string big = " -D t=8 -m hmm-teaching --set threads=64 --set shared.capacity=1024";
  for (const Machine& machine :
       {Machine("ntt", "-D tile=4" + big), Machine("ntt", "-D tile=128" + big)}) {
    Random random(9);
    check_product(machine, {1}, {1}, 2);
    check_product(machine, {2}, {1, 2}, 3);
    for (const std::uint64_t q : {std::uint64_t{257}, ntt_prime, std::uint64_t{2013265921}}) {
      for (const auto& [n, m] : std::vector<std::pair<std::size_t, std::size_t>>{
               {1, 1}, {1, 2}, {30, 31}, {33, 32}, {70, 9}})
        check_product(machine, random.polynomial(n, q), random.polynomial(m, q), q);
      check_product(machine, Coefficients(20, q - 1), Coefficients(13, q - 1), q);
    }
  }
}

TEST_CASE("greatest common divisors of polynomials are those of FLINT", "[release]") {
  const std::string big = " -m hmm-teaching --set threads=64 --set shared.capacity=1024";
  for (const Machine& machine :
       {Machine("gcd_naive", "-D t=8" + big), Machine("gcd", "-D s=1" + big),
        Machine("gcd", "-D s=4" + big), Machine("gcd", "-D s=7 -D each=3" + big)}) {
    Random random(10);
    for (const std::uint64_t q : moduli) {
      for (const auto& [n, m] : std::vector<std::pair<std::size_t, std::size_t>>{
               {1, 1}, {9, 1}, {1, 9}, {20, 20}, {31, 12}, {12, 31}})
        check_gcd(machine, random.polynomial(n, q), random.polynomial(m, q), q);
      const Coefficients common = random.polynomial(9, q);
      check_gcd(machine, product(common, random.polynomial(14, q), q),
                product(common, random.polynomial(8, q), q), q);
      check_gcd(machine, product(common, random.polynomial(20, q), q), common, q);
      check_gcd(machine, Coefficients(8), common, q);
      check_gcd(machine, common, Coefficients(12), q);
      check_gcd(machine, Coefficients(3), Coefficients(2), q);
      // Degrees that fall by more than one, and leading zeros.
      Coefficients sparse(33), other(25);
      sparse[32] = sparse[10] = sparse[3] = other[24] = other[5] = 1;
      check_gcd(machine, sparse, other, q);
      sparse.resize(40);
      other.resize(41);
      check_gcd(machine, sparse, other, q);
    }
  }
}

} // namespace memlane::test
