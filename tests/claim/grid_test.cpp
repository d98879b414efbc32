#include "claim_fixture.hpp"

#include "memlane/claim/grid.hpp"

#include <algorithm>
#include <set>

using namespace memlane;

TEST_CASE("a small grid is complete, sorted and filtered") {
  const std::vector<GridAxis> axes{fixed_axis("w", {8, 4, 4}),
                                   {"p", [](const GridValues& before) {
                                      return GridValues{before[0], 2 * before[0], 3};
                                    }}};
  const auto multiple = [](const GridValues& v) {
    return v[1] % v[0] == 0 ? std::optional<double>(0) : std::nullopt;
  };
  const std::vector<GridValues> expected{{4, 4}, {4, 8}, {8, 8}, {8, 16}};
  CHECK(spread_grid(axes, multiple, {}) == expected);
  CHECK(spread_grid(axes, [](const GridValues&) { return std::nullopt; }, {}).empty());
  CHECK(spread_grid({}, {}, {}).size() == 1);
}

TEST_CASE("a large grid is thinned within its limits, every value kept") {
  GridValues many;
  for (std::int64_t k = 0; k < 20; ++k) many.push_back(std::int64_t{1} << k);
  const std::vector<GridAxis> axes{fixed_axis("a", many), fixed_axis("b", many),
                                   fixed_axis("c", many)};
  const auto chosen = spread_grid(axes, {}, {100, 1});
  CHECK(chosen.size() == 100);
  CHECK(chosen == spread_grid(axes, {}, {100, 1}));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::set<std::int64_t> values;
    for (const GridValues& point : chosen) values.insert(point[axis]);
    CHECK(values.size() == 20);
  }
  const auto cost = [](const GridValues& v) { return static_cast<double>(v[0]); };
  double spent = 0;
  const auto affordable = spread_grid(axes, cost, {1000, 5000});
  for (const GridValues& point : affordable) spent += cost(point);
  CHECK(spent <= 5000);
  CHECK(affordable.size() > 40);
}

TEST_CASE("default axes of a program") {
  const ClaimFixture fixture("param n: long = 2^10\nparam v: int = 3\nparam m: int = w\n"
                             "param up: bool = true\nparam x: double = 0.5\n");
  const auto axes = default_axes(*fixture.checked);
  std::vector<std::string> names;
  for (const GridAxis& axis : axes) names.push_back(axis.name);
  CHECK(names == std::vector<std::string>{"w", "n", "v", "up", "l", "p"});
  const auto whole_warps = [](const GridValues& v) {
    return v[5] % v[0] == 0 ? std::optional<double>(0) : std::nullopt;
  };
  const auto grid = spread_grid(axes, whole_warps, {200, 1});
  CHECK(grid.size() == 200);
  const GridValues sizes = axes[1].candidates({});
  CHECK(std::any_of(sizes.begin(), sizes.end(), [](std::int64_t n) { return n % 2 == 1; }));
  CHECK(*std::min_element(sizes.begin(), sizes.end()) == 8);
}

TEST_CASE("unusual values are small sizes and machines whose width is no power of two") {
  const ClaimFixture fixture("param n: long = 2^10\nparam m: long = 2^10 where is_pow2(m)\n"
                             "param v: int = 3\n");
  const auto axes = default_axes(*fixture.checked); // w, n, m, v, l, p
  CHECK(axes[0].unusual == GridValues{1, 6});
  CHECK(axes[1].unusual == GridValues{1, 2, 3, 4, 5, 7});
  CHECK(axes[2].unusual == GridValues{1, 2, 4});
  CHECK(axes[3].unusual.empty());
  CHECK(is_unusual(axes, {4, 7, 16, 3, 1, 4}));
  CHECK(is_unusual(axes, {6, 16, 16, 3, 1, 6}));
  CHECK_FALSE(is_unusual(axes, {4, 16, 16, 3, 1, 4}));
  const auto few = unusual_axes(axes);
  REQUIRE(few.size() == axes.size());
  CHECK(few[2].candidates({}) == GridValues{1, 2, 4, 8, 16, 32});
  CHECK(few[3].candidates({}) == GridValues{0, 3, 8});
  CHECK(unusual_axes({fixed_axis("n", {1, 2, 3})}).empty());
}

TEST_CASE("default axes have no value that a parameter's own condition refuses") {
  const ClaimFixture fixture("param n: long = 2^10 where is_pow2(n) and n >= w\n"
                             "param d: int = 4 where is_pow2(d) and 2 <= d\n"
                             "param one: int = 1 where one == 1\n"
                             "param r: int = 1 where r >= 1 and r*d <= n\n"
                             "param far: long = 2^20 where far >= 2^20\n");
  const auto axes = default_axes(*fixture.checked);
  const auto values = [&](const char* name) {
    for (const GridAxis& axis : axes)
      if (axis.name == name) return axis.candidates({});
    return GridValues{};
  };
  for (const std::int64_t n : values("n")) CHECK((n & (n - 1)) == 0);
  CHECK(values("n").size() > 2);
  CHECK(values("d") == GridValues{2, 4, 8});
  CHECK(values("one") == GridValues{1});
  CHECK(values("r") == GridValues{1, 2, 4, 3, 8}); // what d and n allow, each point shows
  CHECK(!values("far").empty());                   // no run is possible, and `verify` says so
}

TEST_CASE("the grid of a program with many parameters has every value of every axis", "[release]") {
  const ClaimFixture fixture("param n: long = 2^10\nparam m: long = 2^10\nparam r: int = 1\n"
                             "param s: int = 2\nparam up: bool = true\nparam down: bool = true\n");
  auto axes = default_axes(*fixture.checked);
  axes.push_back(fixed_axis("d", {1, 2, 4, 8, 16}));
  axes.push_back(fixed_axis("L", {1, 5, 20, 100, 10'000, 1'000'000, 100'000'000}));
  const auto grid = spread_grid(axes, {}, {200, 1});
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis].name == "p") continue; // its values depend on others
    std::set<std::int64_t> values;
    for (const GridValues& point : grid) values.insert(point[axis]);
    INFO(axes[axis].name);
    const GridValues candidates = axes[axis].candidates({});
    CHECK(values == std::set<std::int64_t>(candidates.begin(), candidates.end()));
  }
}

namespace {

const std::vector<GridAxis>& lines_axes() {
  static const std::vector<GridAxis> axes{fixed_axis("n", {1, 2, 4}), fixed_axis("p", {3, 5})};
  return axes;
}

std::set<GridValues> as_set(const std::vector<GridValues>& points) {
  return {points.begin(), points.end()};
}

} // namespace

TEST_CASE("lines go through the point of the extreme ratio, along every axis") {
  const std::vector<GridRatio> known{{{1, 3}, 2}, {{2, 5}, 7}, {{4, 5}, 1}};
  CHECK(as_set(lines_through_extreme(lines_axes(), known, true)) ==
        std::set<GridValues>{{1, 5}, {2, 3}}); // {4, 5} is known
  CHECK(as_set(lines_through_extreme(lines_axes(), known, false)) ==
        std::set<GridValues>{{1, 5}, {4, 3}});
  CHECK(lines_through_extreme(lines_axes(), {}, true).empty());
}

TEST_CASE("lines of groups go through the extreme of each group") {
  const std::vector<GridRatio> known{{{1, 3}, 2}, {{2, 3}, 7}, {{2, 5}, 6}};
  // Along n the groups are n = 1 and n = 2, whose greatest have p = 3; along p the groups {3} and
  // {5}, less than a factor of two apart, are one, whose greatest has n = 2.
  CHECK(as_set(lines_of_groups(lines_axes(), known, true)) == std::set<GridValues>{{4, 3}});
  CHECK(as_set(lines_of_groups(lines_axes(), known, false)) ==
        std::set<GridValues>{{4, 3}, {1, 5}, {4, 5}});
  CHECK(as_set(lines_through_groups(lines_axes(), 0, known, true)) ==
        std::set<GridValues>{{4, 3}, {1, 5}});
}
