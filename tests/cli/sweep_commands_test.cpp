// The command of a planned point runs that point: the same program, replacements, parameters,
// machine and seed.
#include "points/sweep_files.hpp"
#include "shell.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

namespace memlane::test {
namespace {

using Json = nlohmann::ordered_json;

const char* const mixed = "param n: int = 64\nparam r: float = 0.5\nparam b: bool = true\n"
                          "param long_one: long = 1\ntype value = int\nfn combine(x, y) = x + y\n"
                          "memory x[n]: value\nmemory t[n, n]: value\n"
                          "kernel k() { forall i in 0..n { x[i] = combine(x[i], t[i, 0]) } }\n"
                          "main { launch k() }\nverify { assert n > 0 }\n";

/// Every kind of axis, values that a shell must not read, and values that must be exact.
const char* const sweep = R"j({
  "programs": [{"program": "mixed.lane", "parameters": {"long_one": "2^62 + 1"}}],
  "machines": ["hmm-teaching", {"machine": "dmm-w32", "set": {"lockstep": true}}],
  "axes": {"n": [8, "2^5"], "p": [32],
    "layout t": ["rows", "strides(((8, 4), 32):((33, 264), 1))"],
    "fn combine": ["(x, y) = max(x, y)", "(x, y) = if x > y then y else x"]},
  "zip": [{"r": ["1.0/3", "10.0^20"], "b": ["n > 16", false], "type value": ["int", "float"]}],
  "where": "t.layout == rows or n == 32", "seeds": [1, 5], "inputs": {"x": "x file.txt"}})j";

std::string shown(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void check_point(const sweep::PlannedPoint& point, const Sources& sources, const Json& result) {
  INFO(point.command << "\n" << result["program"].dump());
  const auto code = sweep::bind_point(point.point, sources);
  REQUIRE(code);
  for (const ir::Constant& parameter : sweep::parameters_of(*code)) {
    const Json& given = result["program"]["parameters"][parameter.name];
    if (ir::is_real(parameter.type)) {
      CHECK(given.get<double>() == parameter.value.real());
    } else {
      CHECK(shown(given) == ir::to_string(parameter.type, parameter.value));
    }
  }
  CHECK(result["machine"] == to_json(point.point.machine));
  CHECK(result["seed"] == point.point.options.seed);
  std::vector<std::pair<std::string, std::string>> replaced;
  for (const Json& one : result["program"]["replaced"])
    replaced.emplace_back(one["option"].get<std::string>(), one["text"].get<std::string>());
  auto expected = point.point.program->info.replaced;
  std::sort(expected.begin(), expected.end());
  std::sort(replaced.begin(), replaced.end());
  CHECK(replaced == expected);
}

} // namespace

TEST_CASE("the command of a point of a sweep repeats that point", "[release]") {
  const Playground playground;
  spit(playground.folder() + "/mixed.lane", mixed);
  std::string zeros;
  for (int k = 0; k < 32; ++k) zeros += "0\n";
  spit(playground.folder() + "/x file.txt", zeros);
  SweepWorld world;
  world.programs["mixed.lane"] = mixed;
  world.inputs["x file.txt"] = zeros;
  const auto plan = world.plan(world.read(sweep, "s.json"));
  INFO(world.problems);
  REQUIRE(plan);
  CHECK(plan->size() == 48);
  int compared = 0;
  for (std::int64_t k = 0; k < plan->size(); ++k) {
    const sweep::PlannedPoint point = plan->point(k);
    if (point.values[0].second != "32" || k % 3 != 0) continue; // the file has 32 numbers
    const Outcome outcome = playground.run(point.command + " --format json");
    INFO(point.command << "\n" << outcome.err);
    REQUIRE(outcome.status == 0);
    check_point(point, world.sources, Json::parse(outcome.out));
    ++compared;
  }
  CHECK(compared >= 8);
}

} // namespace memlane::test
