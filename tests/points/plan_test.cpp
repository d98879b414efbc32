// Plans: which points a sweep has, in which order, with which keys.
#include "sweep_files.hpp"

#include "memlane/points/parallel_tasks.hpp"

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

TEST_CASE("a condition may ask for the padding of a layout, which may depend on parameters") {
  SweepWorld world;
  world.programs["padded"] = "param n: int = 4\nmemory t[n, n]: int layout padded(n/2)\n"
                             "kernel k() { forall i in 0..n { t[i, 0] = i } }\n"
                             "main { launch k() }\nverify { assert true }\n";
  const auto plan = world.plan_file(R"({
    "programs": ["padded"], "machines": ["umm-w32"],
    "axes": {"n": [4, 6, 8]}, "where": "t.padding > 2"})");
  INFO(world.problems);
  REQUIRE(plan);
  CHECK(labels(*plan) == Texts{"padded on umm-w32, n=6", "padded on umm-w32, n=8"});
  const auto layouts = world.plan_file(R"j({
    "programs": ["padded"], "machines": ["umm-w32"],
    "axes": {"layout t": ["rows", "padded(1)", "padded(3)"]}, "where": "t.padding >= 1"})j");
  INFO(world.problems);
  REQUIRE(layouts);
  CHECK(layouts->size() == 2);
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

namespace {

using Parts = std::map<std::string, std::string>;

/// The key of a sweep's first point, and its parts.
struct Keyed {
  std::string key;
  Parts parts;
};

Keyed key_in(SweepWorld& world, const std::string& text) {
  const auto plan = world.plan_file(text);
  INFO(text << world.problems);
  REQUIRE(plan);
  const PlannedPoint point = plan->point(0);
  return {point.key, Parts(point.key_parts.begin(), point.key_parts.end())};
}

Keyed key_of_file(const std::string& text) {
  SweepWorld world;
  world.inputs["sweeps/a.csv"] = "1,2";
  world.inputs["sweeps/b.csv"] = "1,2";
  world.inputs["sweeps/other.csv"] = "2,1";
  return key_in(world, text);
}

std::string file_with(const std::string& members, const std::string& machine = "\"umm-w32\"") {
  return "{\"programs\": [\"sum\"], \"machines\": [" + machine + "]" +
         (members.empty() ? "" : ", ") + members + "}";
}

/// The only part in which the keys differ; empty: they are equal.
std::string difference(const Keyed& a, const Keyed& b) {
  std::string differing;
  for (const auto& [part, text] : a.parts)
    if (b.parts.at(part) != text) differing += (differing.empty() ? "" : ",") + part;
  CHECK((a.key == b.key) == differing.empty());
  return differing;
}

} // namespace

TEST_CASE("each part of a point changes its key, and only its own part") {
  const Keyed plain = key_of_file(file_with(""));
  CHECK(plain.key.size() == 64);
  const auto changed = [&](const std::string& members) {
    return difference(plain, key_of_file(file_with(members)));
  };
  CHECK(changed(R"("axes": {"n": [2048]})") == "parameters");
  CHECK(changed(R"("axes": {"latency": [21]})") == "machine");
  CHECK(changed(R"("axes": {"lockstep": [true]})") == "machine");
  CHECK(changed(R"("seeds": [2])") == "seed");
  CHECK(changed(R"("timing_only": true)") == "timing_only");
  CHECK(changed(R"("verify": false)") == "verify");
  CHECK(changed(R"("allow_races": true)") == "races_allowed");
  CHECK(changed(R"("inputs": {"a": "a.csv"})") == "inputs");
  CHECK(changed("\"axes\": {\"layout a\": [\"padded(1)\"]}") == "replaced");
}

TEST_CASE("what a PRAM counts and prices are parts of the keys of points that have them") {
  const Keyed plain = key_of_file(file_with(""));
  CHECK(key_of_file(file_with(R"("pram": false, "prices": {})")).key == plain.key);
  const Keyed pram = key_of_file(file_with(R"("pram": true)"));
  CHECK(pram.key != plain.key);
  CHECK(pram.parts.at("pram") == "yes");
  const auto priced = [](const std::string& prices) {
    return key_of_file(file_with("\"prices\": {" + prices + "}"));
  };
  const Keyed both = priced(R"("pem": {"lambda": "2.50", "sigma": 1}, "io": {})");
  CHECK(both.parts.at("prices") == "io pem:lambda=5/2,sigma=1");
  CHECK(both.parts.count("pram") == 0);
  CHECK(priced(R"("io": {}, "pem": {"sigma": 1, "lambda": "5/2"})").key == both.key);
  CHECK(priced(R"("io": {}, "pem": {"sigma": 2, "lambda": "5/2"})").key != both.key);
  CHECK(priced(R"("graham_brent": {"p": 4})").parts.at("pram") == "yes"); // which it needs
}

TEST_CASE("what does not change a run does not change its key") {
  const Keyed plain = key_of_file(file_with(""));
  const auto same = [&](const std::string& text) { return key_of_file(text).key == plain.key; };
  CHECK(same(file_with(R"("name": "x", "description": "y", "where": "n > 1", "seeds": [1, 7])")));
  CHECK(same(file_with(R"("axes": {"n": [1024, 2048]})")));
  CHECK(same(file_with(R"("axes": {"n": ["2^10"]})")));
  CHECK(same(file_with(R"("axes": {"n": {"range": [1024, 1024]}})")));
  CHECK(same(file_with(R"("axes": {"n": ["w*32"]})")));
  CHECK(same(file_with(R"("axes": {"l": [20]})")));
  CHECK(same(file_with("", R"({"machine": "umm-w32", "set": {"latency": 20, "name": "mine"}})")));
  const std::string two = R"({"programs": ["sum"], "machines": ["umm-w32"], "axes": )";
  CHECK(key_of_file(two + R"({"n": [64], "l": [3]}})").key ==
        key_of_file(two + R"({"l": [3], "n": [64]}})").key);
  const std::string transpose = R"({"programs": ["transpose"], "machines": ["dmm-w32"], "axes": )";
  const std::string padded = "\"layout a\": [\"padded(1)\"]", rows = "\"layout t\": [\"rows\"]";
  CHECK(key_of_file(transpose + "{" + padded + ", " + rows + "}}").key ==
        key_of_file(transpose + "{" + rows + ", " + padded + "}}").key);
}

TEST_CASE("the key has the contents of inputs, and the texts of all programs that are used") {
  const auto with_input = [](const std::string& file) {
    return key_of_file(file_with("\"inputs\": {\"a\": \"" + file + "\"}"));
  };
  CHECK(with_input("a.csv").key == with_input("b.csv").key);
  CHECK(difference(with_input("a.csv"), with_input("other.csv")) == "inputs");
  const auto with_programs = [](const std::string& main, const std::string& used) {
    SweepWorld world;
    world.programs["mine"] = main;
    world.programs["part"] = used;
    return key_in(world, R"({"programs": ["mine"], "machines": ["umm-w32"]})");
  };
  const std::string part = "param n: int = 64\nmemory a[n]: int\n"
                           "kernel k() { forall i in 0..n { a[i] = 1 } }\n";
  const std::string mine = "use part\nmain { launch k() }\nverify { assert a[0] == 1 }\n";
  const Keyed plain = with_programs(mine, part);
  CHECK(difference(plain, with_programs(mine, part)).empty());
  CHECK(difference(plain, with_programs(mine, part + "// more\n")) == "program");
  CHECK(difference(plain, with_programs(mine + "// more\n", part)) == "program");
}

TEST_CASE("values may depend on other parameters and on the machine") {
  SweepWorld world;
  world.programs["mine"] =
      "param n: int = 64\nparam m: int = n where m <= n\nparam r: float = 0.5\n"
      "memory a[n]: int\nkernel k() { forall i in 0..n { a[i] = m } }\n"
      "main { launch k() }\nverify { assert a[0] == m }\n";
  const auto plan = world.plan_file(R"({"programs": ["mine"], "machines": ["umm-w32"],
    "axes": {"n": ["2^3", 100], "m": ["n/2", "w/8"], "r": ["1.0/10"]}})");
  INFO(world.problems);
  REQUIRE(plan);
  CHECK(labels(*plan) ==
        Texts{"mine on umm-w32, n=8, m=4, r=0.1", "mine on umm-w32, n=8, m=4, r=0.1",
              "mine on umm-w32, n=100, m=50, r=0.1", "mine on umm-w32, n=100, m=4, r=0.1"});
  CHECK(plan->point(2).command == "memlane run mine -m umm-w32 -D n=100 -D m=50 -D r=0.1");
  CHECK(plan->point(0).key == plan->point(1).key);
}

TEST_CASE("axes replace layouts, fns and types, in any group") {
  SweepWorld world;
  world.programs["mine"] =
      "param n: int = 64\ntype value = int\nfn combine(x, y) = x + y\nmemory a[n]: value\n"
      "memory t[n, n]: value\nkernel k() { forall i in 0..n { a[i] = combine(a[i], t[i, 0]) } }\n"
      "main { launch k() }\nverify { assert n > 0 }\n";
  const auto plan = world.plan_file(R"j({"programs": ["mine"], "machines": ["dmm-w32"],
    "axes": {"layout t": ["rows", "padded(1)"], "n": [32], "fn combine": ["(x, y) = max(x, y)"]},
    "zip": [{"l": [1, 2], "type value": ["int", "float"]}],
    "where": "t.layout == rows or l == 2"})j");
  INFO(world.problems);
  REQUIRE(plan);
  const std::string fn = "fn combine=(x, y) = max(x, y)";
  CHECK(labels(*plan) ==
        Texts{"mine on dmm-w32, layout t=rows, n=32, " + fn + ", l=1, type value=int",
              "mine on dmm-w32, layout t=rows, n=32, " + fn + ", l=2, type value=float",
              "mine on dmm-w32, layout t=padded(1), n=32, " + fn + ", l=2, type value=float"});
  const PlannedPoint last = plan->point(2);
  CHECK(last.command == "memlane run mine -m dmm-w32 --set latency=2 -D n=32 "
                        "--layout 't=padded(1)' --fn 'combine(x, y) = max(x, y)' "
                        "--type value=float");
  CHECK(bind_point(last.point, world.sources));
}

TEST_CASE("a point can be bound, with the values that its label says") {
  SweepWorld world;
  const auto plan = world.plan_file(R"({"programs": ["scan"], "machines": ["agpu-k40c"],
    "axes": {"alpha": {"range": [1, 7, 2]}, "n": {"pow2": [1024, "2^12"]}}, "timing_only": true})");
  INFO(world.problems);
  REQUIRE(plan);
  CHECK(plan->size() == 12);
  const PlannedPoint point = plan->point(7);
  CHECK(point.values ==
        std::vector<std::pair<std::string, std::string>>{{"alpha", "5"}, {"n", "2048"}});
  const auto code = bind_point(point.point, world.sources);
  REQUIRE(code);
  const auto parameters = parameters_of(*code);
  const auto value = [&](const std::string& name) {
    for (const ir::Constant& constant : parameters)
      if (constant.name == name) return constant.value.integer();
    return std::int64_t{-1};
  };
  CHECK(value("alpha") == 5);
  CHECK(value("n") == 2048);
}

TEST_CASE("any thread may ask for points") {
  SweepWorld world;
  const auto plan = world.plan_file(R"({"programs": ["sum", "prefix_sums"],
    "machines": ["umm-w32", "dmm-w32"], "axes": {"n": {"pow2": [2, 1024]}, "l": [1, 2, 3]}})");
  REQUIRE(plan);
  const auto size = static_cast<std::size_t>(plan->size());
  std::vector<std::string> keys(size);
  ParallelTasks tasks;
  tasks.count = size;
  tasks.work = [&](std::size_t k) { keys[k] = plan->point(static_cast<std::int64_t>(k)).key; };
  run_parallel(4, INT64_MAX, tasks);
  std::vector<std::string> alone;
  for (std::size_t k = 0; k < size; ++k)
    alone.push_back(plan->point(static_cast<std::int64_t>(k)).key);
  CHECK(keys == alone);
  CHECK(std::set<std::string>(keys.begin(), keys.end()).size() == size);
}

TEST_CASE("10 000 points are planned without lowering any, and sizes are exact") {
  SweepWorld world;
  SweepOptions options;
  options.programs = {"contiguous"};
  options.definitions = {"n=1..10000"};
  options.where = "n % 3 != 0 and n + l <= 10000";
  const auto plan = world.plan(world.options(options));
  INFO(world.problems);
  REQUIRE(plan);
  CHECK(plan->size() == 6654);
  CHECK(plan->size() + plan->excluded() == 10000);
  CHECK(plan->point(6653).values[0].second == "9980");
}

} // namespace memlane::sweep
