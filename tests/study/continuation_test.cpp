// Points beyond the runs, by the formulas of claims.
#include "points/sweep_files.hpp"

#include "memlane/study/figures/continuation.hpp"

#include <cmath>

namespace memlane::test {
namespace {

constexpr const char* growing = R"(
param n: int = 4
param m: int = 1
memory a[n]: int = index
kernel k() { forall i in 0..n { a[i] = 2 * a[i] } }
main { launch k() }
verify { }
claim time = O(n*m + w) on umm "test"
claim requests == 2*n/w "test"
claim stages <= 3*requests "test"
claim barriers == n when n <= 4 "test"
)";

std::string sweep_text(const std::string& values, const std::string& m = "[1, 2]") {
  return R"({ "programs": ["p"], "machines": ["umm-w32"], "axes": { "m": )" + m + R"(, "n": )" +
         values + " } }";
}

/// Runs of n = 64 and 128, continued to 256; a run's count is 10 n m^2.
struct Continued {
  SweepWorld world;
  std::optional<sweep::Plan> run, beyond;
  sweep::Continuation continuation;
  std::vector<std::string> missing; ///< labels of runs that the store lacks
  Result<sweep::ContinuedPoints> points = Diagnostics();

  explicit Continued(const std::string& column, const std::string& claim,
                     const std::string& along = "n", const std::string& beyond_m = "[1, 2]") {
    world.programs["p"] = growing;
    run = world.plan_file(sweep_text("[64, 128]"));
    beyond = world.plan_file(sweep_text("[256, 512]", beyond_m));
    REQUIRE(run);
    REQUIRE(beyond);
    continuation.along = along;
    continuation.counts = {{column, claim}};
  }
  std::string go() {
    std::map<std::string, double> counts;
    for (std::int64_t i = 0; i < run->size(); ++i) {
      const sweep::PlannedPoint point = run->point(i);
      if (std::find(missing.begin(), missing.end(), point.label) != missing.end()) continue;
      std::map<std::string, double> values;
      for (const auto& [name, text] : point.values) values[name] = std::stod(text);
      counts[point.key] = 10 * values["n"] * values["m"] * values["m"];
    }
    points = sweep::continue_points(
        continuation, *run, *beyond,
        [&](const std::string& key, const std::string& column) -> std::optional<double> {
          const auto count = counts.find(key);
          if (column == "unknown" || count == counts.end()) return std::nullopt;
          return count->second;
        },
        world.sources);
    return points ? "" : points.errors().front().message;
  }
};

double parameter(const sweep::ContinuedPoint& point, const std::string& name) {
  for (const ir::Constant& constant : point.parameters)
    if (constant.name == name) return static_cast<double>(constant.value.integer());
  return std::nan("");
}

} // namespace

TEST_CASE("a formula is scaled so that it is right at the largest run of its line") {
  Continued continued("time", "time = O");
  REQUIRE(continued.go().empty());
  REQUIRE(continued.points->points.size() == 4);
  REQUIRE(continued.points->formulas.size() == 2); // m = 1 and m = 2
  for (const sweep::ContinuedPoint& point : continued.points->points) {
    const double n = parameter(point, "n"), m = parameter(point, "m");
    const double largest = 10 * 128 * m * m;
    CHECK(point.counts.front().first == "time");
    CHECK(point.counts.front().second ==
          Approx(largest * (n * m + 32) / (128 * m + 32)).epsilon(1e-12));
  }
  const sweep::ScaledFormula& first = continued.points->formulas.front();
  CHECK(first.claim == "time = O(n*m + w) on umm");
  CHECK(first.largest == "128");
  CHECK(first.factor == Approx(1280.0 / 160));
  // Scaled at n = 64, where it is 640 / 96, it would give 1066.7 at n = 128 for 1280.
  REQUIRE(first.error);
  CHECK(*first.error == Approx(640.0 / 96 * 160 / 1280 - 1));
}

TEST_CASE("runs that the store lacks are no part of a line") {
  Continued continued("time", "time = O");
  continued.missing = {"p on umm-w32, m=1, n=128"};
  REQUIRE(continued.go().empty());
  CHECK(continued.points->formulas.front().largest == "64");
  CHECK(!continued.points->formulas.front().error);
}

TEST_CASE("formulas that do not apply, name counts or have no runs are errors") {
  const auto error = [](const std::string& column, const std::string& claim) {
    return Continued(column, claim).go();
  };
  CHECK(error("time", "time = Theta").find("p has no claim that begins with 'time = Theta'") == 0);
  CHECK(error("barriers", "barriers ==").find("p has no claim") == 0); // its `when` fails
  CHECK(error("stages", "stages <=").find("gives no number") != std::string::npos);
  CHECK(error("unknown", "time = O").find("no run from which") == 0);
  CHECK(Continued("time", "time = O", "w").go() == "'w' is no parameter of p");
  CHECK(Continued("time", "time = O", "n", "[3]").go().find("no run from which") == 0);
  Continued empty("time", "time = O");
  empty.missing = {"p on umm-w32, m=1, n=64", "p on umm-w32, m=1, n=128"};
  CHECK(empty.go() == "no run from which p on umm-w32, m=1, n=256 could be continued");
}

} // namespace memlane::test
