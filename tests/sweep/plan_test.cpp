// Plans: which points a sweep has, in which order, with which keys.
#include "sweep_files.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace memlane::sweep {
namespace {

using test::SweepWorld;
using Texts = std::vector<std::string>;

Texts labels(const Plan& plan) {
  Texts all;
  for (std::int64_t k = 0; k < plan.size(); ++k) all.push_back(plan.point(k).label);
  return all;
}

} // namespace

TEST_CASE("points are in the order of programs, machines, axes and seeds, the last fastest") {
  SweepWorld world;
  const auto plan = world.plan_file(R"({
    "programs": ["sum", {"program": "prefix_sums", "layout": {}}],
    "machines": ["umm-w32", {"machine": "dmm-w32", "set": {"latency": 7}}],
    "axes": {"n": {"pow2": ["2^10", 2048]}}, "seeds": [1, 9]})");
  INFO(world.problems);
  REQUIRE(plan);
  CHECK(plan->size() == 16);
  CHECK(plan->excluded() == 0);
  const Texts all = labels(*plan);
  CHECK(all[0] == "sum on umm-w32, n=1024, seed 1");
  CHECK(all[1] == "sum on umm-w32, n=1024, seed 9");
  CHECK(all[2] == "sum on umm-w32, n=2048, seed 1");
  CHECK(all[4] == "sum on dmm-w32 latency=7, n=1024, seed 1");
  CHECK(all[15] == "prefix_sums on dmm-w32 latency=7, n=2048, seed 9");
  CHECK(plan->point(15).command ==
        "memlane run prefix_sums -m dmm-w32 --set latency=7 -D n=2048 --seed 9");
}

TEST_CASE("axes of a group advance together, and a condition leaves points out") {
  SweepWorld world;
  const auto plan = world.plan_file(R"({
    "programs": ["sum"], "machines": ["umm-w32"],
    "axes": {"l": [1, 5, 9]}, "zip": [{"n": [64, 256, 1024], "p": ["32", 64, "4*32"]}],
    "where": "n/p > 2 and l < 9"})");
  INFO(world.problems);
  REQUIRE(plan);
  CHECK(labels(*plan) ==
        Texts{"sum on umm-w32, l=1, n=256, p=64", "sum on umm-w32, l=1, n=1024, p=128",
              "sum on umm-w32, l=5, n=256, p=64", "sum on umm-w32, l=5, n=1024, p=128"});
  CHECK(plan->excluded() == 5);
  const PlannedPoint last = plan->point(3);
  CHECK(last.command == "memlane run sum -m umm-w32 --set latency=5 --set threads=128 -D n=1024");
  CHECK(last.machine->spec.threads == 128);
  CHECK(last.point.machine.global->latency == Cycles{5});
}

} // namespace memlane::sweep
