#include "support/catch.hpp"
#include "whole.hpp"

#include "memlane/claim/grid.hpp"
#include "memlane/claim/growth.hpp"
#include "memlane/support/random.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace memlane;

namespace {

struct Point {
  double w, n, l, p;
};
using Formula = std::function<double(const Point&)>;

/// Time of one contiguous access to m words (Nakano 2014, section 3).
double access(double m, const Point& x) {
  if (m <= 0) return 0;
  const double warps = std::ceil(std::min(m, x.p) / x.w);
  if (warps >= x.l) return std::ceil(m / x.w) + x.l - 1;
  return (std::ceil(m / x.p) - 1) * x.l + warps + x.l - 1;
}

double sum(const Point& x) {
  double time = 0;
  for (double m = x.n / 2; m >= 1; m /= 2) time += 3 * access(m, x);
  return time;
}

double simple_prefix(const Point& x) {
  double time = 0;
  for (double m = 1; m < x.n; m *= 2) time += 3 * access(x.n - m, x);
  return time;
}

/// c1 n/w + c2 nl/p + c3 l log n.
Formula terms(double c1, double c2, double c3) {
  return [=](const Point& x) {
    return c1 * x.n / x.w + c2 * x.n * x.l / x.p + c3 * x.l * std::log2(x.n);
  };
}

std::vector<Point> points(std::size_t limit) {
  const std::vector<GridAxis> axes{
      fixed_axis("w", {4, 8, 16, 32}),
      fixed_axis("n", {16, 64, 256, 1024, 4096}),
      fixed_axis("l", {1, 2, 5, 20, 100}),
      {"p", [](const GridValues& before) {
         const std::int64_t w = before[0];
         GridValues values{w, 2 * w, 4 * w, 8 * w};
         for (const std::int64_t p : {before[1] / 2, before[1], 4 * before[1]})
           values.push_back((p + w - 1) / w * w);
         return values;
       }}};
  std::vector<Point> result;
  for (const GridValues& v : spread_grid(axes, {}, {limit, 1}))
    result.push_back({static_cast<double>(v[0]), static_cast<double>(v[1]),
                      static_cast<double>(v[2]), static_cast<double>(v[3])});
  return result;
}

/// `noise`: factors between 1 and 1 + noise on the counts.
Trend trend(const Formula& count, const Formula& formula, std::size_t limit, double noise = 0,
            std::uint64_t seed = 1) {
  std::vector<TrendPoint> ratios;
  for (const Point& x : points(limit))
    ratios.push_back(
        {whole({x.w, x.n, x.l, x.p}),
         count(x) / formula(x) * (1 + random_real(seed, 7, ratios.size(), 0, noise + 1e-12))});
  return find_trend({"w", "n", "l", "p"}, ratios);
}

bool grows(const Trend& trend) {
  return std::any_of(trend.parameters.begin(), trend.parameters.end(),
                     [](const ParameterTrend& parameter) { return parameter.seems_to_grow(); });
}

bool vanishes(const Trend& trend) {
  return std::any_of(trend.parameters.begin(), trend.parameters.end(),
                     [](const ParameterTrend& parameter) { return parameter.seems_to_vanish(); });
}

double ratio_bound(const Point& x) { return (x.n / x.w + x.n * x.l / x.p + x.l) * std::log2(x.n); }

} // namespace

TEST_CASE("true bounds pass the test of trends, with and without noise") {
  const std::vector<std::pair<Formula, Formula>> claims = {{sum, terms(1, 1, 1)},
                                                           {simple_prefix, ratio_bound},
                                                           {terms(8, 5, 3), terms(1, 1, 1)},
                                                           {terms(3, 8, 8), terms(1, 1, 1)},
                                                           {terms(10, 3, 3), terms(1, 1, 1)},
                                                           {terms(3, 10, 3), terms(1, 1, 1)},
                                                           {terms(3, 3, 10), terms(1, 1, 1)}};
  int alarms = 0;
  int judged = 0;
  for (const auto& [count, formula] : claims)
    for (const std::size_t limit : {160UL, 300UL})
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const Trend found = trend(count, formula, limit, seed == 1 ? 0 : 0.3, seed);
        REQUIRE(found.judged);
        alarms += grows(found) ? 1 : 0;
        ++judged;
      }
  INFO(judged);
  CHECK(alarms == 0);
}

TEST_CASE("a parameter that is 0 everywhere hides no trend of the others") {
  std::vector<TrendPoint> ratios;
  for (const Point& x : points(300))
    ratios.push_back({whole({x.w, x.n, x.l, x.p, 0}), sum(x) / terms(1, 1, 0)(x)});
  const Trend found = find_trend({"w", "n", "l", "p", "several"}, ratios);
  CHECK(found.judged);
  CHECK(grows(found));
  CHECK_FALSE(found.parameters.back().judged);
}

TEST_CASE("forgotten terms, factors and powers are found") {
  const auto without = [](const char* what) -> Formula {
    const std::string name = what;
    return [name](const Point& x) {
      if (name == "n/w") return terms(0, 1, 1)(x);
      if (name == "nl/p") return terms(1, 0, 1)(x);
      if (name == "l log n") return terms(1, 1, 0)(x);
      if (name == "log n") return x.n / x.w + x.n * x.l / x.p + x.l;
      if (name == "l of nl/p") return x.n / x.w + x.n / x.p + x.l * std::log2(x.n);
      if (name == "l") return x.n / x.w + x.n / x.p + std::log2(x.n);
      if (name == "a power of w") return x.n / x.w / x.w + x.n * x.l / x.p + x.l * std::log2(x.n);
      if (name == "a power of p") return x.n / x.w + x.n * x.l / x.p / x.p + x.l * std::log2(x.n);
      return x.n / x.w + std::sqrt(x.n) * x.l / x.p + x.l * std::log2(x.n); // a power of n
    };
  };
  for (const std::size_t limit : {160UL, 300UL})
    for (const char* what : {"n/w", "nl/p", "l log n", "log n", "l of nl/p", "l", "a power of w",
                             "a power of p", "a power of n"}) {
      INFO(what << ", " << limit << " points");
      CHECK(grows(trend(sum, without(what), limit)));
    }
  CHECK(grows(trend(simple_prefix, terms(1, 1, 1), 160)));
  CHECK(grows(trend([](const Point& x) { return x.n * std::log2(x.n); },
                    [](const Point& x) { return x.n; }, 160)));
}

TEST_CASE("lower bounds that ask too much vanish") {
  CHECK(vanishes(trend(sum, ratio_bound, 160)));
  CHECK(vanishes(trend([](const Point& x) { return x.n; },
                       [](const Point& x) { return x.n * std::log2(x.n); }, 160)));
  CHECK(vanishes(trend([](const Point&) { return 5; }, [](const Point& x) { return x.l; }, 160)));
  CHECK(!vanishes(trend(sum, terms(1, 1, 1), 160)));
  CHECK(!vanishes(trend(terms(8, 5, 3), terms(1, 1, 1), 300)));
}

TEST_CASE("grids that cannot be judged say so") {
  const auto line = [](std::initializer_list<double> values, double power) {
    std::vector<TrendPoint> result;
    for (const double x : values) result.push_back({whole({x, 7}), std::pow(x, power)});
    return find_trend({"n", "w"}, result);
  };
  CHECK(!find_trend({"n"}, {}).judged);
  CHECK(!line({4, 8, 16, 32}, 0).judged);                      // too few points
  CHECK(!line({4, 4, 4, 8, 8, 8, 16, 16, 16}, 1).judged);      // three values
  CHECK(!line({4, 5, 6, 7, 4, 5, 6, 7, 6}, 1).judged);         // within a factor of two
  const Trend exact = line({4, 8, 16, 32, 4, 8, 16, 32}, 0.3); // no residuals: the slope decides
  CHECK(exact.judged);
  CHECK(exact.parameters[0].seems_to_grow());
  CHECK(exact.parameters[0].greatest.lower == Approx(0.3));
  CHECK(!exact.parameters[1].judged);
  CHECK(!line({4, 8, 16, 32, 4, 8, 16, 32}, 0.02).parameters[0].seems_to_grow());
  CHECK(line({4, 8, 16, 32, 4, 8, 16, 32}, -1).parameters[0].seems_to_vanish());
  CHECK(exact.greatest == Approx(std::pow(32, 0.3)));
  // The same slope adds up to less than tail_change over these.
  CHECK(!line({4, 8, 16, 32, 4, 8, 16, 32}, 0.2).parameters[0].seems_to_grow());
  CHECK(line({4, 8, 16, 32, 64, 128, 256, 4}, 0.2).parameters[0].seems_to_grow());
}

TEST_CASE("parameters that move together are both judged") {
  std::vector<TrendPoint> result;
  for (double n = 16; n <= 65536; n *= 2) result.push_back({whole({n, n / 2}), std::sqrt(n)});
  const Trend found = find_trend({"n", "p"}, result);
  CHECK(found.parameters[0].seems_to_grow());
  CHECK(found.parameters[1].seems_to_grow());
}

TEST_CASE("points of different settings are not compared with each other") {
  // Large n was run in one setting only, whose ratios are larger: no growth in either.
  std::vector<TrendPoint> points;
  for (double n = 16; n <= 1024; n *= 2) points.push_back({whole({n}), 1, 1});
  for (double n = 2048; n <= 16384; n *= 2) points.push_back({whole({n}), 9, 2});
  CHECK(!find_trend({"n"}, points).parameters[0].seems_to_grow());
  for (TrendPoint& point : points) point.setting = 0;
  CHECK(find_trend({"n"}, points).parameters[0].seems_to_grow());
  // Growth in one setting is growth, whatever the others do.
  points.clear();
  for (double n = 16; n <= 4096; n *= 2) {
    points.push_back({whole({n}), 100 / n, 1});
    points.push_back({whole({n}), n, 2});
  }
  CHECK(find_trend({"n"}, points).parameters[0].seems_to_grow());
}

namespace {

/// Greatest ratios that scatter about n^power, and the line n = 16 ... through the greatest of all.
Trend scattered(double power, bool with_line) {
  std::vector<TrendPoint> points;
  const double scatter[] = {1, 9, 0.1, 8, 0.2, 10, 3};
  int k = 0;
  for (double n = 16; n <= 1024; n *= 2, ++k)
    points.push_back({whole({n, 1.0 + 100 * k}), std::pow(n, 0.5) * scatter[k]});
  const double greatest = std::pow(512, 0.5) * 10;
  if (with_line)
    for (double n = 16; n <= 1024; n *= 2)
      points.push_back(
          {whole({n, 501}), greatest * std::pow(n / 512, power) * (n == 512 ? 1 : 0.05)});
  return find_trend({"n", "other"}, points);
}

} // namespace

TEST_CASE("where the envelope scatters the line through the greatest ratio decides") {
  CHECK(scattered(0, false).parameters[0].seems_to_grow());
  CHECK(!scattered(-0.5, true).parameters[0].seems_to_grow());
  CHECK(scattered(0.5, true).parameters[0].seems_to_grow());
}
