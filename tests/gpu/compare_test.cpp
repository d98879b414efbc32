// Points beside each other, with times that are made up.
#include "support/catch.hpp"

#include "memlane/gpu/compare.hpp"

using namespace memlane;
using namespace memlane::gpu;

namespace {

Measured point(Variant variant, Parameters parameters, double median) {
  Measured measured;
  measured.program = "transpose";
  measured.variant = variant;
  measured.parameters = std::move(parameters);
  measured.samples_ns = {median};
  measured.median_ns = median;
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
