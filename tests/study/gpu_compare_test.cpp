// Comparison of synthetic measured points.
#include "support/catch.hpp"
#include "support/machine_files.hpp"

#include "memlane/study/gpu/compare.hpp"

#include <cmath>
#include <map>

using namespace memlane;
using namespace memlane::measure;

namespace {

MeasuredPoint point(Variant variant, Parameters parameters, double median) {
  MeasuredPoint measured;
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

/// Time units without launch costs, and launches, of each program.
using Runs = std::map<std::string, std::pair<std::int64_t, std::int64_t>>;
MeasuredComparison compare(std::vector<MeasuredPoint> points, const Runs& runs,
                           std::int64_t launch_cost = 0) {
  Measurements measurements;
  measurements.points = std::move(points);
  MachineSpec machine;
  machine.model = Model::hmm;
  machine.global = machine.shared = UnitSpec{};
  machine.launch_cost = Cycles{launch_cost};
  Simulator simulator;
  simulator.predict = [&](const std::vector<Simulation>& simulations, const SimulationProgress&) {
    std::vector<Prediction> predictions;
    for (const Simulation& simulation : simulations) {
      const auto [units, launches] = runs.at(simulation.point->program);
      Prediction& prediction = predictions.emplace_back();
      prediction.time = units + launches * launch_cost;
      prediction.launches = launches;
    }
    return predictions;
  };
  return compare_measured(std::move(measurements), machine, simulator, {});
}

MeasuredPoint sized_point(const std::string& program, const std::string& problem, double ns,
                          std::int64_t launches) {
  MeasuredPoint measured = point(Variant::emitted, {{"n", "64"}}, ns);
  measured.program = program;
  measured.problem = problem;
  measured.launches = launches;
  return measured;
}

} // namespace

TEST_CASE("times of other kernels are divided by that of the fastest emitted one", "[release]") {
  const MeasuredComparison comparison = compare(
      {
          point(Variant::emitted, {{"n", "64"}, {"v", "1"}}, 100),
          point(Variant::emitted, {{"n", "64"}, {"v", "2"}}, 80),
          point(Variant::hand_written, {{"n", "64"}}, 40),
          point(Variant::cub, {{"n", "64"}, {"v", "1"}}, 25),
          point(Variant::hand_written, {{"n", "128"}}, 40),
      },
      {{"transpose", {100, 0}}});
  REQUIRE(comparison.points.size() == 5);
  for (const ComparedPoint& compared : comparison.points) {
    INFO(compared.curve << " " << name_of(compared.measured.variant));
    if (compared.measured.variant == Variant::emitted) {
      CHECK(!compared.ratio_to_emitted);
    } else if (compared.measured.variant == Variant::cub) {
      CHECK(compared.ratio_to_emitted == 0.25);
    } else if (compared.size == 64) {
      CHECK(compared.ratio_to_emitted == 0.5);
    } else {
      CHECK(!compared.ratio_to_emitted); // no emitted kernel has this size
    }
  }
}

TEST_CASE("the predicted order is that of nanoseconds, launch costs included") {
  // 2 ns a unit and 5000 ns a launch; "many" has fewer units, but more launches.
  const std::vector<MeasuredPoint> points = {sized_point("one", "sum", 2 * 3000 + 5000, 1),
                                             sized_point("many", "sum", 2 * 1000 + 10 * 5000, 10),
                                             sized_point("other", "sum", 2 * 9000 + 2 * 5000, 2)};
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

TEST_CASE("a time by the block's clock includes no launch cost") {
  MeasuredPoint inside = sized_point("inside", "sum", 50000, 1);
  inside.priced_clock = PricedClock::block;
  inside.priced_ns = 2 * 500;
  inside.priced_samples_ns = {inside.priced_ns};
  const MeasuredComparison comparison =
      compare({inside, sized_point("a", "sum", 2 * 100 + 5000, 1),
               sized_point("b", "sum", 2 * 7000 + 5000, 1)},
              {{"inside", {500, 1}}, {"a", {100, 1}}, {"b", {7000, 1}}});
  CHECK(comparison.costs.value().unit.value == Approx(2));
  CHECK(comparison.costs.value().launch.value == Approx(5000));
  for (const ComparedPoint& point : comparison.points)
    CHECK(std::abs(point.error().value()) < 1e-9);
}

TEST_CASE("only kernels of one problem, type, kind of machine and rounding are ranked") {
  MeasuredPoint typed = sized_point("c", "sum", 3000, 1), fused = sized_point("d", "sum", 2000, 1);
  MeasuredPoint umm = sized_point("e", "sum", 1000, 1);
  typed.replaced = {{"type", "value=float"}};
  fused.fmad = true;
  umm.machine.model = Model::umm;
  MeasuredPoint hmm = sized_point("a", "sum", 5000, 1), beside = sized_point("b", "sum", 4000, 1);
  hmm.machine.model = beside.machine.model = typed.machine.model = fused.machine.model = Model::hmm;
  const MeasuredComparison comparison = compare(
      {hmm, beside, typed, fused, umm, sized_point("f", "f", 10, 1)},
      {{"a", {1, 1}}, {"b", {2, 1}}, {"c", {3, 1}}, {"d", {4, 1}}, {"e", {5, 1}}, {"f", {6, 1}}});
  CHECK(comparison.emitted.pairs.pairs() == 1);
  REQUIRE(comparison.emitted.inversions.size() == 1);
  CHECK(comparison.emitted.inversions.front().first == "a");
}

TEST_CASE("points without n are ranked as well, also layouts of one program") {
  std::vector<MeasuredPoint> points = {sized_point("a", "a", 100, 1),
                                       sized_point("a", "a", 200, 1)};
  for (MeasuredPoint& point : points) point.parameters.clear();
  points[1].replaced = {{"layout", "t=rows"}};
  const MeasuredComparison comparison = compare(points, {{"a", {100, 1}}});
  REQUIRE(comparison.emitted.sizes.size() == 1);
  CHECK(comparison.emitted.sizes.front().size == 0);
  CHECK(comparison.emitted.pairs.ties_first == 1); // the simulator gives both one time
}

TEST_CASE("one point, or equal points, have costs but no order") {
  const MeasuredComparison one = compare({sized_point("a", "a", 100, 1)}, {{"a", {50, 1}}});
  CHECK(one.costs.value().unit.value == Approx(2));
  CHECK(one.costs.value().launch.value == 0);
  CHECK(one.emitted.sizes.empty());
  const MeasuredComparison alike = compare(
      {sized_point("a", "s", 100, 1), sized_point("b", "s", 100, 1), sized_point("c", "s", 100, 1)},
      {{"a", {50, 1}}, {"b", {50, 1}}, {"c", {50, 1}}});
  CHECK(alike.costs.value().unit.status == EstimateStatus::undetermined);
  CHECK(!tau_b(alike.emitted.pairs));
  for (const ComparedPoint& point : alike.points) CHECK(point.predicted_ns.value() == Approx(100));
  CHECK(!compare({sized_point("a", "a", 100, 1)}, {{"a", {0, 1}}}).costs); // no time units
}

TEST_CASE("a kernel of another model has the keys of its machine, and no others") {
  Sources sources;
  for (const char* const gpu : {"hmm-rtx3080", "hmm-h200"}) {
    const auto loaded = load_machine(
        sources, gpu, {}, test::machine_files_on_disk(MEMLANE_SOURCE_DIR "/configs/machines"));
    REQUIRE(loaded);
    const MachineSpec* const machine = &loaded->spec;
    KernelShape kernel;
    kernel.model = Model::umm;
    kernel.width = 32;
    kernel.multiprocessors = 1;
    kernel.threads = 256;
    const Result<MachineSpec> umm = machine_of(kernel, *machine);
    REQUIRE(umm);
    CHECK(!umm->shared);
    CHECK(!umm->has_own_ports());
    CHECK(umm->global->latency == machine->global->latency);
    CHECK(umm->global->ports == machine->global->ports);
    CHECK(umm->launch_cost == machine->launch_cost);
    CHECK(umm->threads == 256);
    kernel.model = Model::hmm;
    kernel.multiprocessors = machine->multiprocessors;
    kernel.threads = machine->threads;
    CHECK(*measure::machine_of(kernel, *machine) == *machine);
  }
}
