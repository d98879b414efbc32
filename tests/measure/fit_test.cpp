// Fits to times that are made of known parameters.
#include "support/catch.hpp"

#include "memlane/measure/fit.hpp"
#include "memlane/support/random.hpp"

#include <cmath>

namespace memlane::measure {
namespace {

/// What a program's time is made of: a toy with the terms of the models.
struct Toy {
  double stages, shared, global; ///< busy stages; requests in series to each memory
  double own = 0;                ///< stages of shared memory, which has one port
  double time(const Knobs& knobs) const {
    return own + std::ceil(stages / static_cast<double>(knobs.ports)) +
           shared * static_cast<double>(knobs.shared_latency) +
           global * static_cast<double>(knobs.global_latency);
  }
};

const std::vector<Toy> toys = {
    {1000, 0, 1}, {20000, 0, 2},        {400000, 1, 1, 9000},   {10, 100, 3, 40000}, {10, 900, 1},
    {50, 20, 80}, {10, 1, 900},         {90000, 50, 50, 70000}, {3000, 300, 9},      {777, 77, 700},
    {5, 5, 5},    {64000, 640, 64, 300}};
constexpr ParameterValues truth = {0.7, 3000, 22, 410, 6};

/// A deterministic error within `part` to both sides, spread evenly.
double error(std::size_t i, double part) {
  return 1 + part * (2 * std::fmod(static_cast<double>(i + 1) * 0.618033988749895, 1.0) - 1);
}

std::vector<FitPoint> points(double noise) {
  std::vector<FitPoint> list;
  for (std::size_t i = 0; i < toys.size(); ++i) {
    const double units = toys[i].time({22, 410, 6});
    const double launches = static_cast<double>(1 + i % 3);
    list.push_back({i % 2 == 0 ? "even" : "odd", "p",
                    (0.7 * units + 3000 * launches) * error(i, noise), launches});
  }
  return list;
}

const TimeAt toy_time = [](std::size_t i, const Knobs& knobs) -> std::optional<double> {
  return toys[i].time(knobs);
};

FitRequest from(double l, double L, double ports) {
  FitRequest request;
  request.values = {1, 0, l, L, ports};
  request.max_evaluations = 100;
  return request;
}

FitRequest linear_only() {
  FitRequest request;
  request.free = {true, true, false, false, false};
  request.values = {1, 0, 22, 410, 6};
  return request;
}

} // namespace

TEST_CASE("without noise unit and launch are found to the last digits") {
  const Result<Fit> found = fit(points(0), linear_only(), toy_time);
  REQUIRE(found);
  CHECK(found->values()[0] == Approx(0.7).epsilon(1e-12));
  CHECK(found->values()[1] == Approx(3000).epsilon(1e-12));
  CHECK(found->rms < 1e-12);
  CHECK(found->r_squared.value() == Approx(1));
  CHECK(found->freedom == 10);
  CHECK(found->estimates[2].standing == Standing::fixed);
}

TEST_CASE("without noise all five are found from far off") {
  const Result<Fit> found = fit(points(0), from(100, 30, 1), toy_time);
  REQUIRE(found);
  for (const Estimate& estimate : found->estimates) {
    INFO(parameters()[static_cast<std::size_t>(estimate.parameter)].name);
    CHECK(estimate.value == Approx(at(truth, estimate.parameter)).epsilon(1e-6));
    CHECK(estimate.standing == Standing::free);
  }
}

TEST_CASE("with noise the intervals hold the truth, and the left out are foretold") {
  const Result<Fit> found = fit(points(0.01), from(60, 100, 2), toy_time);
  REQUIRE(found);
  for (const Estimate& estimate : found->estimates) {
    INFO(parameters()[static_cast<std::size_t>(estimate.parameter)].name);
    REQUIRE(estimate.low);
    CHECK(*estimate.low <= at(truth, estimate.parameter));
    CHECK(*estimate.high >= at(truth, estimate.parameter));
  }
  CHECK(found->rms < 0.01);
  REQUIRE(found->left_out.size() == 2);
  CHECK(found->left_out[0].error.value() < 0.1);
}

TEST_CASE("t intervals of one parameter, by hand") {
  // Two points of 10 units that took 9 and 11 ns; relative residuals r = 10u/9 - 1 and 10u/11 - 1.
  const std::vector<FitPoint> two = {{"a", "p", 9, 1}, {"a", "q", 11, 1}};
  FitRequest request = linear_only();
  request.free = {true, false, false, false, false};
  const TimeAt ten = [](std::size_t, const Knobs&) { return std::optional(10.0); };
  const Result<Fit> found = fit(two, request, ten);
  REQUIRE(found);
  const double a = 10.0 / 9, b = 10.0 / 11;
  const double unit = (a + b) / (a * a + b * b);
  const double squares = (a * unit - 1) * (a * unit - 1) + (b * unit - 1) * (b * unit - 1);
  const double half = 12.7062047361747 * std::sqrt(squares / (a * a + b * b)); // t of 1 freedom
  CHECK(found->values()[0] == Approx(unit));
  CHECK(found->estimates[0].high.value() == Approx(unit + half));
  CHECK(found->estimates[0].low.value() == Approx(1e-6)); // the interval ends at the bound
}

TEST_CASE("bounds are kept and said") {
  // A launch would have to cost less than nothing.
  std::vector<FitPoint> list = points(0);
  for (std::size_t i = 0; i < list.size(); ++i) {
    list[i].ns = 0.7 * toys[i].time({22, 410, 6}) - 300 * list[i].launches;
  }
  const Result<Fit> found = fit(list, linear_only(), toy_time);
  REQUIRE(found);
  CHECK(found->values()[1] == 0);
  CHECK(found->estimates[1].standing == Standing::at_least);
  CHECK(!found->estimates[1].low);
}

TEST_CASE("what no point depends on stays, and what cannot be told apart is said") {
  const TimeAt no_knobs = [](std::size_t i, const Knobs&) {
    return std::optional(toys[i].time({22, 410, 6}));
  };
  const Result<Fit> idle = fit(points(0), from(5, 6, 7), no_knobs);
  REQUIRE(idle);
  CHECK(idle->estimates[2].standing == Standing::idle);
  CHECK(idle->estimates[2].value == 5);
  CHECK(idle->estimates[0].value == Approx(0.7));

  std::vector<FitPoint> list = {{"a", "p", 10, 1}, {"a", "q", 20, 2}, {"a", "r", 31, 3}};
  const TimeAt as_launches = [](std::size_t i, const Knobs&) {
    return std::optional(static_cast<double>(i + 1) * 5);
  };
  const Result<Fit> same = fit(list, linear_only(), as_launches);
  REQUIRE(same);
  CHECK(same->estimates[0].standing == Standing::undetermined);
  CHECK(same->estimates[1].standing == Standing::undetermined);
}

TEST_CASE("too few points are refused with both numbers") {
  std::vector<FitPoint> few = points(0);
  few.resize(4);
  const Result<Fit> refused = fit(few, from(10, 100, 3), toy_time);
  REQUIRE(!refused);
  CHECK(refused.errors().front().message == "4 points cannot determine 5 free parameters");
  CHECK(!fit({}, linear_only(), toy_time));
}

TEST_CASE("the ends of what measurements can be do no harm") {
  const std::vector<FitPoint> list = {
      {"a", "p", 1e18, 1}, {"a", "q", 1e-3, 1}, {"b", "r", 1, 1e9}, {"b", "s", 1e18, 1}};
  const std::vector<double> units = {1e18, 0, 1, 4e18};
  const TimeAt given = [&](std::size_t i, const Knobs&) { return std::optional(units[i]); };
  const Result<Fit> found = fit(list, linear_only(), given);
  REQUIRE(found);
  for (const Estimate& estimate : found->estimates) {
    const ParameterInfo& info = parameters()[static_cast<std::size_t>(estimate.parameter)];
    CHECK(std::isfinite(estimate.value));
    CHECK(estimate.value >= info.lo);
    CHECK(estimate.value <= info.hi);
  }
}

TEST_CASE("a few points that the model cannot explain do not decide") {
  std::vector<FitPoint> list = points(0.002);
  list[2].ns *= 5; // a disturbed measurement
  list[6].ns /= 3;
  const Result<Fit> found = fit(list, linear_only(), toy_time);
  REQUIRE(found);
  CHECK(found->values()[0] == Approx(0.7).epsilon(0.05));
  CHECK(found->values()[1] == Approx(3000).epsilon(0.05));
  CHECK(found->points[2].weight < 0.05);
  CHECK(found->points[6].weight < 0.05);
  CHECK(found->points[0].weight > 0.5);
  CHECK(found->rms > 0.5); // of all, the disturbed ones too
  list[6].ns *= 3;         // no other point depends on L as much as this one
  const Result<Fit> all = fit(list, from(60, 100, 2), toy_time);
  REQUIRE(all);
  for (const Estimate& estimate : all->estimates) {
    INFO(parameters()[static_cast<std::size_t>(estimate.parameter)].name);
    CHECK(estimate.value == Approx(at(truth, estimate.parameter)).epsilon(0.2));
  }
}

TEST_CASE("points whose samples are spread wide count less") {
  std::vector<FitPoint> two = {{"a", "p", 9, 1}, {"a", "q", 11, 1, 0.1}};
  FitRequest request = linear_only();
  request.free = {true, false, false, false, false};
  const TimeAt ten = [](std::size_t, const Knobs&) { return std::optional(10.0); };
  const Result<Fit> found = fit(two, request, ten);
  REQUIRE(found);
  // The second's variance is 0.01^2 + 0.1^2, 101 times that of the first.
  const double a = 10.0 / 9, b = 10.0 / 11;
  CHECK(found->values()[0] == Approx((a + b / 101) / (a * a + b * b / 101)));
  CHECK(found->points[1].weight == Approx(1 / 101.0));
  two[1].spread = 0;
  CHECK(fit(two, request, ten)->values()[0] == Approx((a + b) / (a * a + b * b)));
}

TEST_CASE("a launch is not fitted where no time has one in it") {
  std::vector<FitPoint> list = points(0);
  for (FitPoint& point : list) point.launches = 0;
  const Result<Fit> found = fit(list, linear_only(), toy_time);
  REQUIRE(found);
  CHECK(found->estimates[0].standing == Standing::free);
  CHECK(found->estimates[1].standing == Standing::idle);
  CHECK(found->estimates[1].value == 0);
}

TEST_CASE("work that is ended anywhere gives the best so far, never worse with more time") {
  const double first = fit(points(0), linear_only(), toy_time)->rms;
  CHECK(first < 1e-9);
  int all = 0;
  const TimeAt counted = [&](std::size_t i, const Knobs& knobs) {
    ++all;
    return std::optional(toys[i].time(knobs));
  };
  REQUIRE(fit(points(0.01), from(100, 30, 1), counted));
  const int first_place = static_cast<int>(toys.size());
  double last = INFINITY;
  for (int most : {0, 5, first_place, 40, 100, 200, 400, all - 1}) {
    int runs = 0;
    const TimeAt ends = [&](std::size_t i, const Knobs& knobs) {
      return ++runs > most ? std::nullopt : std::optional(toys[i].time(knobs));
    };
    const Result<Fit> stopped = fit(points(0.01), from(100, 30, 1), ends);
    INFO(most);
    REQUIRE(stopped);
    CHECK(stopped->stopped);
    if (most < first_place) {
      CHECK(stopped->points.empty());
      continue;
    }
    REQUIRE(stopped->points.size() == toys.size());
    for (std::size_t i = 0; i < toys.size(); ++i) {
      const ParameterValues values = stopped->values();
      const Knobs knobs = {std::llround(values[2]), std::llround(values[3]),
                           std::llround(values[4])};
      CHECK(stopped->points[i].units == toys[i].time(knobs)); // nothing is made up
    }
    CHECK(stopped->rms <= last * 1.5);
    last = stopped->rms;
    if (most < 200) CHECK(stopped->estimates[3].standing == Standing::unfinished);
  }
  CHECK(last < 0.02);
}

TEST_CASE("work that is ended says so") {
  int runs = 0;
  const TimeAt ends = [&](std::size_t i, const Knobs& knobs) {
    return ++runs > 100 ? std::nullopt : std::optional(toys[i].time(knobs));
  };
  const Result<Fit> stopped = fit(points(0), from(100, 30, 1), ends);
  REQUIRE(stopped);
  CHECK(stopped->stopped);
  CHECK(runs == 101);
}

} // namespace memlane::measure
