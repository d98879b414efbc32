// Kendall's tau-b, inversions and crossings, checked by hand.
#include "support/catch.hpp"

#include "memlane/study/gpu/ordering.hpp"

#include <cmath>

namespace memlane::measure {
namespace {

double tau(const std::vector<double>& a, const std::vector<double>& b) {
  return tau_b(count_pairs(a, b)).value_or(99);
}

double only(const std::vector<double>& list) {
  REQUIRE(list.size() == 1);
  return list.front();
}

CurvePoint point(double size, double model, double measured) {
  return {size, model, measured, measured * 0.99, measured * 1.01};
}

} // namespace

TEST_CASE("tau-b without ties counts pairs") {
  CHECK(tau({1, 2, 3, 4}, {10, 20, 30, 40}) == Approx(1));
  CHECK(tau({1, 2, 3, 4}, {4, 3, 2, 1}) == Approx(-1));
  CHECK(tau({1, 2, 3, 4}, {1, 3, 2, 4}) == Approx(4.0 / 6)); // 5 pairs this way, 1 that way
}

TEST_CASE("tau-b with ties, by hand") {
  // Pairs: (1,2) tied in the first; (1,3), (2,3) concordant: 2 / sqrt(3 * 2).
  CHECK(tau({1, 1, 2}, {1, 2, 3}) == Approx(2 / std::sqrt(6.0)));
  // 12, 34 tied in the first, 23 in the second, 13, 14, 24 concordant: 3 / sqrt(5 * 4).
  CHECK(tau({1, 1, 2, 2}, {1, 2, 2, 3}) == Approx(3 / std::sqrt(20.0)));
  // Both tie 12: it counts in neither root.
  CHECK(count_pairs({1, 1, 2}, {5, 5, 4}).ties_both == 1);
  CHECK(tau({1, 1, 2}, {5, 5, 4}) == Approx(-1));
}

TEST_CASE("tau-b is none if a ranking has ties alone") {
  CHECK(!tau_b(count_pairs({1, 1, 1}, {1, 2, 3})));
  CHECK(!tau_b(count_pairs({7}, {7})));
  CHECK(!tau_b(PairCounts{}));
}

TEST_CASE("counts of groups add up, pairs across groups do not count") {
  PairCounts sum = count_pairs({1, 2}, {1, 2});
  sum += count_pairs({100, 200}, {0.2, 0.1});
  CHECK(sum.pairs() == 2);
  CHECK(tau_b(sum).value() == Approx(0));
}

TEST_CASE("an inversion names the curve first that is faster in the model") {
  const Curve a{"a", "p", {point(64, 100, 1200), point(128, 200, 2000)}};
  const Curve b{"b", "p", {point(64, 120, 900), point(128, 240, 2100), point(256, 1, 1)}};
  const Ordering ordering = order_curves({b, a});
  REQUIRE(ordering.inversions.size() == 1);
  const Inversion& inversion = ordering.inversions.front();
  CHECK(inversion.first == "a");
  CHECK(inversion.second == "b");
  CHECK(inversion.first_point.size == 64);
  CHECK(inversion.first_point.measured == 1200);
  CHECK(!inversion.within_spread);
  CHECK(ordering.sizes.size() == 2); // 256 has one curve
  CHECK(tau_b(ordering.pairs).value() == Approx(0));
}

TEST_CASE("curves of different problems are not ranked") {
  const Curve a{"a", "sum", {point(64, 100, 1200), point(128, 100, 2000)}};
  const Curve b{"b", "transpose", {point(64, 120, 900), point(128, 90, 1000)}};
  const Curve c{"c", "transpose", {point(64, 130, 800)}};
  const Ordering ordering = order_curves({a, b, c});
  REQUIRE(ordering.sizes.size() == 1); // b and c, at 64
  CHECK(ordering.sizes.front().problem == "transpose");
  CHECK(ordering.sizes.front().curves == std::vector<std::string>{"b", "c"});
  CHECK(ordering.pairs.pairs() == 1);
  CHECK(ordering.inversions.size() == 1);
  CHECK(ordering.crossings.empty());
}

TEST_CASE("an inversion by less than the samples' spread is marked") {
  const Curve a{"a", "p", {point(64, 100, 1001)}};
  const Curve b{"b", "p", {point(64, 120, 1000)}};
  const Ordering ordering = order_curves({a, b});
  REQUIRE(ordering.inversions.size() == 1);
  CHECK(ordering.inversions.front().within_spread);
}

TEST_CASE("power laws cross at their exact intersection") {
  // n and 100: at n = 100, between 10 and 1000.
  CHECK(only(crossings({10, 1000}, {10, 1000}, {100, 100})) == Approx(100));
  // n^2/64 and n, at sizes 16 and 256: equal at 64.
  CHECK(only(crossings({16, 256}, {4, 1024}, {16, 256})) == Approx(64));
  CHECK(crossings({1, 2, 4}, {1, 2, 4}, {2, 4, 8}).empty());
}

TEST_CASE("curves that are equal at a size cross there or only touch") {
  CHECK(crossings({1, 2, 4}, {1, 2, 8}, {2, 2, 4}) == std::vector<double>{2});
  CHECK(crossings({1, 2, 4, 8}, {1, 2, 4, 9}, {2, 2, 4, 8}) == std::vector<double>{2});
  CHECK(crossings({1, 2, 4}, {1, 2, 4}, {2, 2, 8}).empty());
  CHECK(crossings({1, 2}, {3, 3}, {3, 3}).empty());
}

TEST_CASE("crossings in the model and as measured are listed separately") {
  const Curve a{"a", "p", {point(16, 4, 1), point(256, 1024, 1)}};
  const Curve b{"b", "p", {point(16, 16, 2), point(256, 256, 2)}};
  const Ordering ordering = order_curves({a, b});
  REQUIRE(ordering.crossings.size() == 1);
  CHECK(only(ordering.crossings.front().model) == Approx(64));
  CHECK(ordering.crossings.front().measured.empty());
}

TEST_CASE("extreme numbers do not overflow") {
  const std::vector<double> found = crossings({1, 2}, {1e308, 1e-308}, {1e-308, 1e308});
  REQUIRE(found.size() == 1);
  CHECK(found.front() == Approx(std::sqrt(2.0)));
  CHECK(tau({1e308, 1e-308}, {1e308, 0}) == Approx(1));
}

} // namespace memlane::measure
