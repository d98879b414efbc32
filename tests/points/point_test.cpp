// Points: delivered in order with all their counts, the same on any number of threads.
#include "support/checked_text.hpp"

#include "memlane/points/point.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace memlane::sweep {
namespace {

constexpr const char* text = "param n: int = 64\nmemory a[n]: int = index\n"
                             "kernel k() { forall i in 0..n { a[i] = a[i] + 1 } }\n"
                             "main { launch k() }\nverify { assert a[0] == 1 }\n"
                             "claim stages >= 2 * n / w \"for the test\"\n";

struct Loaded {
  Sources sources;
  CheckedProgram program;

  Loaded() { program = test::checked_text(sources, "points.lane", text); }

  Point point(std::int64_t n) const {
    Point point;
    point.program = &program;
    point.machine.name = "umm";
    point.machine.model = Model::umm;
    point.machine.width = 4;
    point.machine.threads = 8;
    point.machine.global = UnitSpec{};
    point.machine.global->kind = UnitKind::unified;
    point.machine.global->latency = Cycles{5};
    lang::Expr value;
    value.kind = lang::ExprKind::integer;
    value.integer = n;
    point.parameters = {{"n", value}};
    return point;
  }
};

} // namespace

TEST_CASE("points are delivered in order with counts and claims, whatever the number of jobs") {
  const Loaded loaded;
  std::vector<Point> points;
  for (std::int64_t n = 1; n <= 40; ++n) points.push_back(loaded.point(n == 17 ? -1 : 16 * n));
  for (const bool in_order : {true, false}) {
    for (const std::size_t jobs : {1U, 3U}) {
      std::vector<std::size_t> order;
      std::vector<PointResult> results(points.size());
      run_points(points, loaded.sources, {jobs, 4096, in_order},
                 [&](std::size_t at, PointResult result) {
                   order.push_back(at);
                   results[at] = std::move(result);
                 });
      REQUIRE(order.size() == points.size());
      CHECK((!in_order || std::is_sorted(order.begin(), order.end())));
      for (std::size_t at = 0; at < points.size(); ++at) {
        const PointResult& result = results[at];
        if (at == 16) { // an extent that is not positive
          CHECK(!result.started);
          CHECK(result.run.stop == Stop::error);
          CHECK(!result.run.errors.empty());
          continue;
        }
        const auto n = static_cast<std::int64_t>(16 * (at + 1));
        REQUIRE(result.started);
        CHECK(result.run.verify == Verdict::passed);
        CHECK(result.run.counts.global.front().stages == 2 * n / 4);
        REQUIRE(result.claims.size() == 1);
        CHECK(result.claims.front().verdict == ClaimVerdict::holds);
        CHECK(parameters_of(*result.code).front().value.integer() == n);
      }
    }
  }
}

TEST_CASE("after a stop no more points start, and each is delivered") {
  const Loaded loaded;
  int asked = 0;
  std::vector<Point> points(6, loaded.point(64));
  for (std::size_t at = 0; at < points.size(); ++at)
    points[at].options.limits.check = [&asked, at] {
      ++asked;
      return at < 2 ? Stop::none : Stop::interrupted;
    };
  std::vector<bool> started;
  run_points(points, loaded.sources, {}, [&](std::size_t, PointResult result) {
    started.push_back(result.started);
    CHECK(result.run.stop == (result.started ? Stop::none : Stop::interrupted));
  });
  CHECK(started == std::vector<bool>{true, true, false, false, false, false});
  CHECK(asked > 0);
}

} // namespace memlane::sweep
