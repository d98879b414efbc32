// The best value, what is nearly as good, and trends; against definitions that try everything.
#include "support/catch.hpp"

#include "memlane/sweep/sweep_options.hpp"
#include "memlane/sweep/tuning.hpp"

#include <algorithm>
#include <random>

namespace memlane::sweep {
namespace {

Objective whole_objective(std::int64_t value) { return {static_cast<double>(value), value}; }

/// Values of one axis, in the order of the command; -1: it cannot be chosen.
std::vector<TunedValue> values_of(const std::vector<std::int64_t>& objectives) {
  std::vector<TunedValue> values;
  for (std::size_t k = 0; k < objectives.size(); ++k)
    values.push_back(
        {{k}, objectives[k] < 0 ? std::nullopt : std::optional(whole_objective(objectives[k]))});
  return values;
}

std::vector<std::size_t> range_of(const TuningLine& line) {
  return {line.values.begin() + static_cast<std::ptrdiff_t>(line.range_first),
          line.values.begin() + static_cast<std::ptrdiff_t>(line.range_last) + 1};
}

using Places = std::vector<std::size_t>;

} // namespace

TEST_CASE("the best of one parameter, its range, its trend and its edges") {
  const std::vector<TunedAxis> axes = {tuned_axis("s", {"1", "2", "4", "8", "16", "32"})};
  const auto tuning = tune(axes, values_of({100, 50, 41, 40, 42, 60}), 0.05);
  REQUIRE(tuning);
  CHECK(tuning->best == 3);
  CHECK(tuning->ties.empty());
  const TuningLine& line = tuning->lines.at(0);
  CHECK(range_of(line) == Places{2, 3, 4}); // 42 is 5 % worse, to the unit
  CHECK(!line.at_least);
  CHECK(!line.at_greatest);
  REQUIRE(line.trend.size() == 2);
  CHECK(line.trend[0].trend == Trend::improves);
  CHECK(line.trend[0].first == 0);
  CHECK(line.trend[0].last == 3);
  CHECK(line.trend[1].trend == Trend::worsens);
  CHECK(line.trend[1].last == 5);
  CHECK(range_of(tune(axes, values_of({100, 50, 41, 40, 42, 60}), 0.0499)->lines[0]) ==
        Places{2, 3});
  CHECK(range_of(tune(axes, values_of({100, 50, 41, 40, 42, 60}), 0)->lines[0]) == Places{3});
}

TEST_CASE("a range ends at a worse value, and passes over those that cannot be chosen") {
  const std::vector<TunedAxis> axes = {tuned_axis("s", {"1", "2", "4", "8", "16"})};
  CHECK(range_of(tune(axes, values_of({40, 90, 40, 41, 40}), 0.05)->lines[0]) == Places{0});
  CHECK(range_of(tune(axes, values_of({90, 40, -1, 41, 90}), 0.05)->lines[0]) == Places{1, 3});
}

TEST_CASE("numbers are compared by size, other values by their objective") {
  const auto numbers = tune({tuned_axis("s", {"16", "4", "9"})}, values_of({10, 30, 20}), 0.05);
  CHECK(numbers->lines[0].values == Places{1, 2, 0});
  CHECK(numbers->lines[0].at_greatest);
  const auto texts =
      tune({tuned_axis("layout t", {"rows", "padded(1)", "diagonal"})}, values_of({90, 10, 10}), 0);
  CHECK(texts->best == 1);
  CHECK(texts->ties == Places{2});
  CHECK(texts->lines[0].values == Places{1, 2, 0});
  CHECK(texts->lines[0].trend.empty());
  CHECK(!texts->lines[0].at_least);
  CHECK(tuned_axis("s", {"1", "w"}).numbers.empty());
}

TEST_CASE("equal values tie, the least is the best, and an edge needs something worse") {
  const std::vector<TunedAxis> axes = {tuned_axis("s", {"4", "2", "1"})};
  const auto equal = tune(axes, values_of({7, 7, 7}), 0.05);
  CHECK(equal->best == 2);
  CHECK(equal->ties == Places{1, 0});
  CHECK(equal->all_equal);
  CHECK(!equal->lines[0].at_least);
  const auto level_to_the_end = tune(axes, values_of({7, 7, 9}), 0.05);
  CHECK(level_to_the_end->best == 1);
  CHECK(!level_to_the_end->lines[0].at_greatest);
  CHECK(tune(axes, values_of({9, 8, 7}), 0.05)->lines[0].at_least);
  CHECK(!tune(axes, values_of({-1, -1, -1}), 0.05));
  CHECK(!tune(axes, values_of({-1, 3, -1}), 0.05)->all_equal);
}

TEST_CASE("whole numbers beyond 2^53 are told apart, and zeros have ratios") {
  const std::int64_t large = std::int64_t{1} << 60;
  const auto tuning = tune({tuned_axis("s", {"1", "2"})}, values_of({large + 1, large}), 0.05);
  CHECK(tuning->best == 1);
  CHECK(tuning->ties.empty());
  CHECK(ratio_of(whole_objective(0), whole_objective(0)) == 1.0);
  CHECK(!ratio_of(whole_objective(3), whole_objective(0)));
  CHECK(ratio_of(whole_objective(6), whole_objective(3)) == 2.0);
  CHECK(!mean_of({}));
  CHECK(!mean_of({std::int64_t{1}, std::monostate()}));
  CHECK(mean_of({std::int64_t{1}, std::int64_t{2}})->value == 1.5);
  CHECK(!mean_of({std::int64_t{1}, std::int64_t{2}})->whole);
  CHECK(mean_of({large + 1, large + 1})->whole == large + 1);
}

TEST_CASE("of two parameters the best, its lines and the best of each row are those of all tries") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t rows = 2 + random() % 4, columns = 2 + random() % 4;
    std::vector<std::string> down, across;
    for (std::size_t k = 0; k < rows; ++k) down.push_back(std::to_string(k + 1));
    for (std::size_t k = 0; k < columns; ++k) across.push_back(std::to_string(2 * k + 1));
    std::vector<TunedValue> values;
    for (std::size_t a = 0; a < rows; ++a)
      for (std::size_t b = 0; b < columns; ++b)
        values.push_back({{a, b},
                          random() % 6 == 0
                              ? std::nullopt
                              : std::optional(whole_objective(static_cast<int>(random() % 9)))});
    const auto tuning = tune({tuned_axis("a", down), tuned_axis("b", across)}, values, 0.25);
    std::int64_t least = INT64_MAX;
    for (const TunedValue& value : values)
      if (value.objective) least = std::min(least, *value.objective->whole);
    if (least == INT64_MAX) {
      CHECK(!tuning);
      continue;
    }
    REQUIRE(tuning);
    std::size_t first = 0, equal = 0;
    while (!values[first].objective || *values[first].objective->whole != least) ++first;
    for (const TunedValue& value : values)
      equal += value.objective && *value.objective->whole == least ? 1 : 0;
    CHECK(tuning->best == first);
    CHECK(tuning->ties.size() == equal - 1);
    for (const std::size_t row : tuning->best_of_rows)
      for (const TunedValue& value : values)
        if (value.objective && value.at[0] == values[row].at[0])
          CHECK(*values[row].objective->whole <= *value.objective->whole);
    for (std::size_t axis = 0; axis < 2; ++axis)
      for (const std::size_t value : range_of(tuning->lines[axis])) {
        CHECK(values[value].at[1 - axis] == values[first].at[1 - axis]);
        CHECK(static_cast<double>(*values[value].objective->whole) <=
              1.25 * static_cast<double>(least));
      }
  }
}

TEST_CASE("ranges go on as they are written") {
  const auto values = [](const std::string& text, bool beyond_greatest) {
    Sources sources;
    SweepOptions options;
    options.programs = {"p"};
    options.definitions = {"s=" + text};
    const Result<SweepSpec> spec = read_sweep_options(sources, options, "umm-w32");
    REQUIRE(spec);
    return extended_values(spec->axes.at(0).at(0), beyond_greatest);
  };
  const auto extended = [&](const std::string& text, bool beyond_greatest) {
    return values(text, beyond_greatest).all;
  };
  CHECK(extended("1..64:pow2", true) == "1..128:pow2");
  CHECK(extended("1..64:pow2", false) == "");
  CHECK(extended("4..64:pow2", false) == "2..64:pow2");
  CHECK(extended("3..6:pow2", false) == "");
  CHECK(extended("1..4", true) == "1..8");
  CHECK(extended("1..4", false) == "");
  CHECK(extended("10..20:5", true) == "10..35:5");
  CHECK(extended("10..20:5", false) == "5..20:5");
  CHECK(extended("7,3,5", true) == "7,3,5,14");
  CHECK(extended("7,3,5", false) == "7,3,5,1");
  CHECK(extended("0,1", true) == "");
  CHECK(extended("w,2*w", true) == "");
  // What is new of them.
  CHECK(values("1..64:pow2", true).more == "128");
  CHECK(values("4..64:pow2", false).more == "2");
  CHECK(values("1..4", true).more == "5..8");
  CHECK(values("10..20:5", true).more == "25..35:5");
  CHECK(values("10..20:5", false).more == "5..5:5");
  CHECK(values("7,3,5", true).more == "14");
  CHECK(values("7,3,5", false).more == "1");
  CHECK(values("3..6:pow2", false).more == "");
}

} // namespace memlane::sweep
