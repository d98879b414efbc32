// Which point begins next, and how long the others will take.
#include "points/sweep_files.hpp"
#include "store_fixture.hpp"
#include "support/catch.hpp"

#include "memlane/store/point_order.hpp"

#include <algorithm>
#include <set>

namespace memlane::sweep {
namespace {

/// Weights of two programs: a unit of the second takes a thousand times as long.
Pending two_programs() {
  Pending pending;
  pending.programs = {"light", "heavy"};
  for (const float weight : {1'000'000.0F, 100'000.0F, 1'000.0F})
    pending.points.push_back({static_cast<std::int64_t>(weight), weight, 0});
  for (const float weight : {800.0F, 400.0F, 100.0F})
    pending.points.push_back({static_cast<std::int64_t>(weight), weight, 1});
  return pending;
}

double seconds_of(const PendingPoint& point) {
  return static_cast<double>(point.weight) * (point.program == 0 ? 1e-5 : 0.1);
}

} // namespace

TEST_CASE(
    "each program tells by its lightest point how long it takes, then the longest are first") {
  const Pending pending = two_programs();
  PointOrder order(pending);
  CHECK(!order.seconds_left());
  std::vector<float> weights;
  for (std::size_t k = 0; k < pending.points.size(); ++k) {
    const PendingPoint& point = pending.points[order.next()];
    weights.push_back(point.weight);
    order.ended(point, seconds_of(point));
    if (k == 1) CHECK(*order.seconds_left() == Approx(10 + 1 + 80 + 40));
  }
  CHECK(weights == std::vector<float>{1'000, 100, 800, 400, 1'000'000, 100'000});
  CHECK(order.seconds_left() == 0.0);
}

TEST_CASE("known times are used, and what runs is not waited for") {
  Pending pending = two_programs();
  pending.timed = {{0, 1'000, 0.01}};
  PointOrder order(pending);
  CHECK(pending.points[order.next()].weight == 100); // of the program without a time
  CHECK(pending.points[order.next()].weight == 1'000'000);
  order.ended(pending.points[5], 10);
  CHECK(pending.points[order.next()].weight == 800);
}

TEST_CASE("points of one program begin with the largest, and each is given once") {
  Pending pending;
  pending.programs = {"one"};
  for (int k = 0; k < 1000; ++k) pending.points.push_back({k, static_cast<float>(1000 - k), 0});
  PointOrder order(pending);
  for (std::size_t k = 0; k < 1000; ++k) {
    REQUIRE(order.next() == k);
    order.ended(pending.points[k], k % 7 == 0 ? 0 : 1e-3); // some fail at once
  }
}

TEST_CASE(
    "plans that run together have a point of several once, and apart what cannot be compared") {
  test::SweepWorld world;
  const auto first = world.plan_file(
      R"({"programs": ["sum"], "machines": ["umm-w32"], "axes": {"n": [64, 128, 256]}})");
  const auto second = world.plan_file(
      R"({"programs": ["sum"], "machines": ["umm-w32"], "axes": {"n": [128, 512]}})");
  REQUIRE((first && second));
  const Pending pending = pending_points({&*first, &*second}, nullptr, {}, false, {});
  CHECK(pending.programs == std::vector<std::string>{"sum", "sum"});
  std::vector<std::pair<std::int32_t, std::int64_t>> points;
  for (const PendingPoint& point : pending.points) points.emplace_back(point.sweep, point.number);
  std::sort(points.begin(), points.end());
  CHECK(points ==
        std::vector<std::pair<std::int32_t, std::int64_t>>{{0, 0}, {0, 1}, {0, 2}, {1, 1}});
  CHECK(pending.points.front().sweep == 1); // n = 512
}

TEST_CASE("a stored point without its end is run again, unless its limit is the same") {
  const store_test::StoreFolder folder;
  Store store = store_test::open_store(folder.file("a.db"));
  test::SweepWorld world;
  const auto plan = world.plan_file(
      R"({"programs": ["sum"], "machines": ["umm-w32"], "axes": {"n": [64, 128]}})");
  REQUIRE(plan);
  StoredPoint point = store_test::test_point("sum", {{"n", Cell(std::int64_t{64})}}, 1);
  const auto run_again = [&](const std::string& limit, const PointLimits& limits) {
    point.key = plan->point(0).key;
    REQUIRE(store.add(point, PointStatus::stopped, false, limit));
    return pending_points({&*plan}, &store, {}, false, limits).points.size() == 2;
  };
  PointLimits steps;
  steps.run.steps = 100;
  CHECK(run_again("", {})); // it was interrupted
  CHECK(run_again("", steps));
  CHECK_FALSE(run_again("--max-steps 100", steps));
  CHECK(run_again("--max-steps 100", {}));
}

} // namespace memlane::sweep
