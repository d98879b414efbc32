// Fits to synthetic times with known parameters.
#include "support/catch.hpp"

#include "memlane/study/gpu/fit.hpp"
#include "memlane/support/random.hpp"

#include <cmath>

namespace memlane::measure {
namespace {

using enum Parameter;

/// A program's time with the terms of the models.
struct SyntheticProgram {
  double stages;         ///< of the global memory
  double shared, global; ///< requests in series to each memory
  double shared_stages = 0;
  double time(const MemoryTiming& timing) const {
    return shared_stages + std::ceil(stages / static_cast<double>(timing.ports)) +
           shared * static_cast<double>(timing.shared_latency) +
           global * static_cast<double>(timing.global_latency);
  }
};

const std::vector<SyntheticProgram> programs = {
    {1000, 0, 1}, {20000, 0, 2},        {400000, 1, 1, 9000},   {10, 100, 3, 40000}, {10, 900, 1},
    {50, 20, 80}, {10, 1, 900},         {90000, 50, 50, 70000}, {3000, 300, 9},      {777, 77, 700},
    {5, 5, 5},    {64000, 640, 64, 300}};
constexpr ParameterValues truth = {0.7, 3000, 22, 410, 6};
constexpr MemoryTiming true_timing = {22, 410, 6};

/// A deterministic factor from 1 - part to 1 + part, evenly distributed.
double noise_factor(std::size_t i, double part) {
  return 1 + part * (2 * std::fmod(static_cast<double>(i + 1) * 0.618033988749895, 1.0) - 1);
}

std::vector<FitPoint> points(double noise) {
  std::vector<FitPoint> list;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const double launches = static_cast<double>(1 + i % 3);
    const double ns = truth[unit] * programs[i].time(true_timing) + truth[launch] * launches;
    list.push_back({i % 2 == 0 ? "even" : "odd", ns * noise_factor(i, noise), launches});
  }
  return list;
}

/// Of all programs, at each timing.
std::vector<std::vector<double>> simulate(const std::vector<MemoryTiming>& timings) {
  std::vector<std::vector<double>> times;
  for (const MemoryTiming& timing : timings) {
    std::vector<double>& units = times.emplace_back();
    for (const SyntheticProgram& program : programs) units.push_back(program.time(timing));
  }
  return times;
}

/// These units, whatever the timing.
SimulateTimings always(std::vector<double> units) {
  return [units = std::move(units)](const std::vector<MemoryTiming>& timings) {
    return std::vector(timings.size(), units);
  };
}

struct Wanted {
  PerParameter<bool> free;
  ParameterValues start;
};
Wanted all_from(double l, double L, double ports) {
  return {{true, true, true, true, true}, {1, 0, l, L, ports}};
}
Wanted costs_only(bool launch_is_free = true) {
  return {{true, launch_is_free, false, false, false}, {1, 0, 22, 410, 6}};
}

Fit fitted(const std::vector<FitPoint>& list, const Wanted& wanted,
           const SimulateTimings& times = simulate) {
  Result<Fit> found = fit(list, wanted.free, wanted.start, times);
  REQUIRE(found);
  return *found;
}

void check_truth(const Fit& fit, double tolerance) {
  for (const Estimate& estimate : fit.estimates) {
    INFO(info_of(estimate.parameter).name);
    CHECK(estimate.value == Approx(truth[estimate.parameter]).epsilon(tolerance));
  }
}

} // namespace

TEST_CASE("a fit without noise finds unit and launch to the last digits") {
  const Fit found = fitted(points(0), costs_only());
  CHECK(found.values()[unit] == Approx(0.7).epsilon(1e-12));
  CHECK(found.values()[launch] == Approx(3000).epsilon(1e-12));
  CHECK(found.rms < 1e-12);
  CHECK(found.degrees_of_freedom == 10);
  CHECK(found.estimates[shared_latency].status == EstimateStatus::fixed);
}

TEST_CASE("a fit without noise finds all five parameters from a distant start") {
  const Fit found = fitted(points(0), all_from(100, 30, 1));
  check_truth(found, 1e-6);
  for (const Estimate& estimate : found.estimates) CHECK(estimate.status == EstimateStatus::free);
}

TEST_CASE("times of known machines are fitted back to their keys") {
  for (const ParameterValues& known :
       {ParameterValues{0.5, 1000, 4, 1500, 60}, ParameterValues{2, 9000, 100, 120, 1},
        ParameterValues{1.3, 5000, 31, 650, 15}, ParameterValues{0.7, 2500, 1, 8192, 256}}) {
    std::vector<FitPoint> list = points(0);
    const std::vector<double> times = simulate({timing_of(known)}).front();
    for (std::size_t i = 0; i < list.size(); ++i)
      list[i].ns = known[unit] * times[i] + known[launch] * list[i].launches;
    const Fit found = fitted(list, all_from(29, 500, 8));
    for (const Estimate& estimate : found.estimates) {
      INFO(info_of(estimate.parameter).name);
      CHECK(estimate.value == Approx(known[estimate.parameter]).epsilon(1e-9));
    }
  }
}

TEST_CASE("a fit of few ports does not end at half of them in units half as long") {
  const std::vector<SyntheticProgram> streaming = {
      {256, 0, 1},       {4096, 0, 9},       {65536, 0, 3}, {262144, 0, 2},
      {4096, 16, 4, 40}, {16384, 60, 8, 90}, {0, 3, 30, 9}, {1024, 8, 2, 64}};
  const auto times = [&](const std::vector<MemoryTiming>& timings) {
    std::vector<std::vector<double>> all;
    for (const MemoryTiming& timing : timings) {
      std::vector<double>& units = all.emplace_back();
      for (const SyntheticProgram& program : streaming) units.push_back(program.time(timing));
    }
    return all;
  };
  for (const double ports_known : {2.0, 3.0, 4.0}) {
    for (const double latency : {300.0, 301.0, 517.0}) {
      const ParameterValues known = {1.25, 3000, 12, latency, ports_known};
      std::vector<FitPoint> list;
      const std::vector<double> units = times({timing_of(known)}).front();
      for (const double of_point : units)
        list.push_back({"any", known[unit] * of_point + known[launch], 1});
      const Fit found = fitted(list, all_from(29, 500, 8), times);
      for (const Estimate& estimate : found.estimates) {
        INFO(info_of(estimate.parameter).name << " of " << ports_known << " ports");
        CHECK(estimate.value == Approx(known[estimate.parameter]).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE(
    "with noise the intervals contain the truth, and each program is predicted by the others") {
  const Fit found = fitted(points(0.01), all_from(60, 100, 2));
  for (const Estimate& estimate : found.estimates) {
    INFO(info_of(estimate.parameter).name);
    REQUIRE(estimate.low);
    CHECK(*estimate.low <= truth[estimate.parameter]);
    CHECK(*estimate.high >= truth[estimate.parameter]);
  }
  CHECK(found.rms < 0.01);
  REQUIRE(found.left_out.size() == 2);
  CHECK(found.left_out[0].rms_error.value() < 0.1);
}

TEST_CASE("t intervals of one parameter, by hand") {
  // Two points of 10 units took 9 and 11 ns; relative residuals r = 10u/9 - 1 and 10u/11 - 1.
  const Fit found = fitted({{"a", 9, 1}, {"a", 11, 1}}, costs_only(false), always({10, 10}));
  const double a = 10.0 / 9, b = 10.0 / 11;
  const double u = (a + b) / (a * a + b * b);
  const double squares = (a * u - 1) * (a * u - 1) + (b * u - 1) * (b * u - 1);
  // Student's t with one degree of freedom.
  const double half = 12.7062047361747 * std::sqrt(squares / (a * a + b * b));
  CHECK(found.values()[unit] == Approx(u));
  CHECK(found.estimates[unit].high.value() == Approx(u + half));
  CHECK(found.estimates[unit].low.value() == Approx(1e-6)); // the interval ends at the bound
}

TEST_CASE("a value stays within its bounds, and the status says at which one it is") {
  std::vector<FitPoint> list = points(0);
  for (std::size_t i = 0; i < list.size(); ++i)
    list[i].ns = 0.7 * programs[i].time(true_timing) - 300 * list[i].launches;
  const Fit found = fitted(list, costs_only());
  CHECK(found.values()[launch] == 0);
  CHECK(found.estimates[launch].status == EstimateStatus::at_lower_bound);
  CHECK(!found.estimates[launch].low);
}

TEST_CASE("a parameter without influence keeps its value") {
  const Fit found = fitted(points(0), all_from(5, 6, 7), always(simulate({true_timing}).front()));
  CHECK(found.estimates[shared_latency].status == EstimateStatus::no_influence);
  CHECK(found.estimates[shared_latency].value == 5);
  CHECK(found.estimates[unit].value == Approx(0.7));
}

TEST_CASE("parameters of which only a combination matters are undetermined") {
  const Fit found =
      fitted({{"a", 10, 1}, {"a", 20, 2}, {"a", 31, 3}}, costs_only(), always({5, 10, 15}));
  CHECK(found.estimates[unit].status == EstimateStatus::undetermined);
  CHECK(found.estimates[launch].status == EstimateStatus::undetermined);
}

TEST_CASE("the error about too few points names both numbers") {
  std::vector<FitPoint> few = points(0);
  few.resize(4);
  const Wanted all = all_from(10, 100, 3);
  const SimulateTimings first_four = [](const std::vector<MemoryTiming>& timings) {
    std::vector<std::vector<double>> times = simulate(timings);
    for (std::vector<double>& units : times) units.resize(4);
    return times;
  };
  const Result<Fit> refused = fit(few, all.free, all.start, first_four);
  REQUIRE(!refused);
  CHECK(refused.errors().front().message == "4 points cannot determine 5 free parameters");
  CHECK(!fit({}, all.free, all.start, always({})));
}

TEST_CASE("the smallest and the largest measurements give finite values within the bounds") {
  const Fit found = fitted({{"a", 1e18, 1}, {"a", 1e-3, 1}, {"b", 1, 1e9}, {"b", 1e18, 1}},
                           costs_only(), always({1e18, 0, 1, 4e18}));
  for (const Estimate& estimate : found.estimates) {
    const ParameterInfo& info = info_of(estimate.parameter);
    CHECK(std::isfinite(estimate.value));
    CHECK(estimate.value >= info.lower);
    CHECK(estimate.value <= info.upper);
  }
}

TEST_CASE("outliers have little influence", "[release]") {
  std::vector<FitPoint> list = points(0.002);
  list[2].ns *= 5;
  list[6].ns /= 3;
  const Fit found = fitted(list, costs_only());
  CHECK(found.values()[unit] == Approx(0.7).epsilon(0.05));
  CHECK(found.values()[launch] == Approx(3000).epsilon(0.05));
  CHECK(found.points[2].weight < 0.05);
  CHECK(found.points[6].weight < 0.05);
  CHECK(found.points[0].weight > 0.5);
  CHECK(found.rms > 0.5); // includes the outliers
  list[6].ns *= 3;        // no other point depends on L as much as this one
  check_truth(fitted(list, all_from(60, 100, 2)), 0.2);
}

TEST_CASE("points with a wide spread have a low weight") {
  std::vector<FitPoint> two = {{"a", 9, 1}, {"a", 11, 1, 0.1}};
  const Fit found = fitted(two, costs_only(false), always({10, 10}));
  // The second's variance is 0.01^2 + 0.1^2, 101 times that of the first.
  const double a = 10.0 / 9, b = 10.0 / 11;
  CHECK(found.values()[unit] == Approx((a + b / 101) / (a * a + b * b / 101)));
  CHECK(found.points[1].weight == Approx(1 / 101.0));
  two[1].spread = 0;
  CHECK(fitted(two, costs_only(false), always({10, 10})).values()[unit] ==
        Approx((a + b) / (a * a + b * b)));
}

TEST_CASE("the launch cost is not fitted if no time includes a launch") {
  std::vector<FitPoint> list = points(0);
  for (FitPoint& point : list) point.launches = 0;
  const Fit found = fitted(list, costs_only());
  CHECK(found.estimates[unit].status == EstimateStatus::free);
  CHECK(found.estimates[launch].status == EstimateStatus::no_influence);
  CHECK(found.estimates[launch].value == 0);
}

TEST_CASE("a fit that is stopped returns the best so far, never worse with more simulations",
          "[release]") {
  std::size_t all = 0;
  const Wanted wanted = all_from(100, 30, 1);
  fitted(points(0.01), wanted, [&](const std::vector<MemoryTiming>& timings) {
    all += timings.size();
    return simulate(timings);
  });
  double last = INFINITY;
  for (std::size_t limit : {std::size_t{0}, std::size_t{1}, std::size_t{20}, std::size_t{80},
                            std::size_t{150}, all - 1}) {
    std::size_t runs = 0;
    bool stopped = false;
    const SimulateTimings limited = [&](std::vector<MemoryTiming> timings) {
      CHECK(!stopped);
      runs += timings.size();
      stopped = runs > limit;
      if (stopped) timings.resize(timings.size() - (runs - limit));
      return simulate(timings);
    };
    INFO(limit);
    const Fit found = fitted(points(0.01), wanted, limited);
    CHECK(found.stopped);
    CHECK(stopped);
    if (limit == 0) {
      CHECK(found.points.empty());
      continue;
    }
    REQUIRE(found.points.size() == programs.size());
    const std::vector<double> times = simulate({timing_of(found.values())}).front();
    for (std::size_t i = 0; i < programs.size(); ++i) CHECK(found.points[i].units == times[i]);
    CHECK(found.rms <= last * 1.5);
    last = found.rms;
    CHECK(found.estimates[global_latency].status == EstimateStatus::unfinished);
    CHECK(found.estimates[unit].status == EstimateStatus::free);
  }
  CHECK(last < 0.02);
}

} // namespace memlane::measure
