// Ratios along a line of runs: which of them grow without end.
#include "support/catch.hpp"

#include "memlane/claim/growth.hpp"

#include <cmath>
#include <functional>

using namespace memlane;

namespace {

/// The growth of f(2^first), f(2^(first + 1)), …, of so many points.
Growth growth(const std::function<double(double)>& f, int points, int first = 4) {
  std::vector<double> ratios;
  for (int k = 0; k < points; ++k) ratios.push_back(f(std::exp2(first + k)));
  return growth_of(ratios);
}

} // namespace

TEST_CASE("powers and logarithms grow, slower factors do not") {
  for (const double power : {0.1, 0.25, 0.5, 1.0, 2.0, 3.0})
    CHECK(growth([&](double x) { return 7 * std::pow(x, power); }, 7) == Growth::grows);
  CHECK(growth([](double x) { return std::log2(x); }, 7) == Growth::grows);
  CHECK(growth([](double x) { return 30 + std::log2(x) * std::log2(x); }, 7) == Growth::grows);
  CHECK(growth([](double x) { return std::ceil(std::log2(x)) * (1 + 1 / x); }, 7) == Growth::grows);
  for (const int points : {7, 11, 15}) {
    CHECK(growth([](double x) { return std::log2(std::log2(x)); }, points) != Growth::grows);
    CHECK(growth([](double x) { return 5 - 4 / x; }, points) == Growth::settles);
    CHECK(growth([](double x) { return 1 / x; }, points) == Growth::settles);
    CHECK(growth([](double) { return 3; }, points) == Growth::settles);
  }
}

TEST_CASE("with few points nothing grows") {
  for (const int points : {0, 1, 2, 3, 5, 6})
    CHECK(growth([](double x) { return x; }, points) == Growth::unclear);
}

TEST_CASE("what rises to the end of a parameter's range") {
  const std::vector<double> linear{1, 2, 4, 8, 16}, slow{1, 1.2, 1.44, 1.73, 2.07};
  const std::vector<double> settling{1, 2, 4, 5, 5.5};
  CHECK(grows_to_the_end(linear));
  CHECK(!grows_to_the_end(slow));
  CHECK(!grows_to_the_end(settling));
  CHECK(!grows_to_the_end(std::span(linear).first(4)));
}
