// Points beside each other, with times that are made up.
#include "support/catch.hpp"

#include "memlane/measure/compare.hpp"

#include <cmath>
#include <map>

using namespace memlane;
using namespace memlane::measure;

namespace {

Measured point(Variant variant, Parameters parameters, double median) {
  Measured measured;
  measured.program = "transpose";
  measured.variant = variant;
  measured.parameters = std::move(parameters);
  measured.samples_ns = {median};
  measured.median_ns = median;
  measured.priced_ns = median;
  measured.priced_samples_ns = {median};
  measured.problem = measured.program;
  return measured;
}

MeasuredComparison compare(std::vector<Measured> points) {
  Measurements measurements;
  measurements.points = std::move(points);
  MachineSpec machine;
  machine.model = Model::umm;
  machine.global = UnitSpec{};
  Simulator simulator;
  simulator.predict = [](const Measured&, const MachineSpec&, std::int64_t) {
    return Prediction{100, ""};
  };
  return compare_measured(std::move(measurements), machine, simulator, {});
}

} // namespace

TEST_CASE("other kernels' times are multiples of the fastest emitted one's") {
  const MeasuredComparison comparison = compare({
      point(Variant::emitted, {{"n", "64"}, {"v", "1"}}, 100),
      point(Variant::emitted, {{"n", "64"}, {"v", "2"}}, 80),
      point(Variant::hand_written, {{"n", "64"}}, 40),
      point(Variant::cub, {{"n", "64"}, {"v", "1"}}, 25),
      point(Variant::hand_written, {{"n", "128"}}, 40),
  });
  REQUIRE(comparison.points.size() == 5);
  for (const ComparedPoint& compared : comparison.points) {
    INFO(compared.curve << " " << name_of(compared.measured.variant));
    if (compared.measured.variant == Variant::emitted) {
      CHECK(!compared.of_emitted);
    } else if (compared.measured.variant == Variant::cub) {
      CHECK(compared.of_emitted == 0.25);
    } else if (compared.size == 64) {
      CHECK(compared.of_emitted == 0.5);
    } else {
      CHECK(!compared.of_emitted); // nothing emitted was measured there
    }
  }
}

namespace {

/// Predictions by name: time units, launch cost not included, and launches.
MeasuredComparison compare(std::vector<Measured> points,
                           const std::map<std::string, std::pair<std::int64_t, std::int64_t>>& runs,
                           std::int64_t launch_cost = 0) {
  Measurements measurements;
  measurements.points = std::move(points);
  MachineSpec machine;
  machine.model = Model::hmm;
  machine.global = machine.shared = UnitSpec{};
  machine.launch_cost = Cycles{launch_cost};
  Simulator simulator;
  simulator.predict = [&](const Measured& point, const MachineSpec&, std::int64_t) {
    const auto [units, launches] = runs.at(point.program);
    Prediction prediction;
    prediction.time = units + launches * launch_cost;
    prediction.launches = launches;
    return prediction;
  };
  return compare_measured(std::move(measurements), machine, simulator, {});
}

Measured of(const std::string& program, const std::string& problem, double ns,
            std::int64_t launches) {
  Measured measured = point(Variant::emitted, {{"n", "64"}}, ns);
  measured.program = program;
  measured.problem = problem;
  measured.launches = launches;
  return measured;
}

} // namespace

TEST_CASE("ranks are those of predicted nanoseconds, launches included") {
  // 2 ns a unit and 5000 a launch: fewer units, but more launches.
  const std::vector<Measured> points = {of("one", "sum", 2 * 3000 + 5000, 1),
                                        of("many", "sum", 2 * 1000 + 10 * 5000, 10),
                                        of("other", "sum", 2 * 9000 + 2 * 5000, 2)};
  for (const std::int64_t launch_cost : {0, 700}) {
    const MeasuredComparison comparison = compare(
        points, {{"one", {3000, 1}}, {"many", {1000, 10}}, {"other", {9000, 2}}}, launch_cost);
    REQUIRE(comparison.costs);
    CHECK(comparison.costs->unit.value == Approx(2));
    CHECK(comparison.costs->launch.value == Approx(5000));
    CHECK(comparison.emitted.pairs.concordant == 3);
    CHECK(comparison.emitted.inversions.empty());
    for (const ComparedPoint& point : comparison.points)
      CHECK(point.predicted_ns.value() == Approx(point.measured.priced_ns));
  }
}

TEST_CASE("a time by the block's clock has no launch in it") {
  Measured inside = of("inside", "sum", 50000, 1);
  inside.priced_clock = PricedClock::block;
  inside.priced_ns = 2 * 500;
  inside.priced_samples_ns = {inside.priced_ns};
  const MeasuredComparison comparison =
      compare({inside, of("a", "sum", 2 * 100 + 5000, 1), of("b", "sum", 2 * 7000 + 5000, 1)},
              {{"inside", {500, 1}}, {"a", {100, 1}}, {"b", {7000, 1}}});
  CHECK(comparison.costs.value().unit.value == Approx(2));
  CHECK(comparison.costs.value().launch.value == Approx(5000));
  for (const ComparedPoint& point : comparison.points)
    CHECK(std::abs(point.error().value()) < 1e-9);
}

TEST_CASE("only kernels of one problem, type, kind of machine and rounding are ranked") {
  Measured typed = of("c", "sum", 3000, 1), fused = of("d", "sum", 2000, 1);
  Measured umm = of("e", "sum", 1000, 1);
  typed.replaced = {{"type", "value=float"}};
  fused.fmad = true;
  umm.machine.model = Model::umm;
  Measured hmm = of("a", "sum", 5000, 1), beside = of("b", "sum", 4000, 1);
  hmm.machine.model = beside.machine.model = typed.machine.model = fused.machine.model = Model::hmm;
  const MeasuredComparison comparison = compare(
      {hmm, beside, typed, fused, umm, of("f", "f", 10, 1)},
      {{"a", {1, 1}}, {"b", {2, 1}}, {"c", {3, 1}}, {"d", {4, 1}}, {"e", {5, 1}}, {"f", {6, 1}}});
  CHECK(comparison.emitted.pairs.pairs() == 1);
  REQUIRE(comparison.emitted.inversions.size() == 1);
  CHECK(comparison.emitted.inversions.front().first == "a");
}

TEST_CASE("points without n are ranked, too, layouts of one program") {
  std::vector<Measured> points = {of("a", "a", 100, 1), of("a", "a", 200, 1)};
  for (Measured& point : points) point.parameters.clear();
  points[1].replaced = {{"layout", "t=rows"}};
  const MeasuredComparison comparison = compare(points, {{"a", {100, 1}}});
  REQUIRE(comparison.emitted.sizes.size() == 1);
  CHECK(comparison.emitted.sizes.front().size == 0);
  CHECK(comparison.emitted.pairs.ties_first == 1); // the machine does not tell them apart here
}

TEST_CASE("one point, and points that are all alike, have a price and no order") {
  const MeasuredComparison one = compare({of("a", "a", 100, 1)}, {{"a", {50, 1}}});
  CHECK(one.costs.value().unit.value == Approx(2));
  CHECK(one.costs.value().launch.value == 0);
  CHECK(one.emitted.sizes.empty());
  const MeasuredComparison alike =
      compare({of("a", "s", 100, 1), of("b", "s", 100, 1), of("c", "s", 100, 1)},
              {{"a", {50, 1}}, {"b", {50, 1}}, {"c", {50, 1}}});
  CHECK(alike.costs.value().unit.standing == Standing::undetermined);
  CHECK(!tau_b(alike.emitted.pairs));
  for (const ComparedPoint& point : alike.points) CHECK(point.predicted_ns.value() == Approx(100));
  CHECK(!compare({of("a", "a", 100, 1)}, {{"a", {0, 1}}}).costs); // no units, no price
}
