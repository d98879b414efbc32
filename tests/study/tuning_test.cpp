// The best value, what is nearly as good, and edges; against definitions that try everything.
#include "support/catch.hpp"

#include "memlane/points/sweep_options.hpp"
#include "memlane/study/tune/tuning.hpp"

#include <algorithm>
#include <random>

namespace memlane::sweep {
namespace {

/// Values of one axis, in the order of the command; -1: it cannot be chosen.
std::vector<TunedValue> values_of(const std::vector<std::int64_t>& objectives) {
  std::vector<TunedValue> values;
  for (std::size_t k = 0; k < objectives.size(); ++k)
    values.push_back({{k}, objectives[k] < 0 ? Cell() : Cell(objectives[k])});
  return values;
}

using Places = std::vector<std::size_t>;

} // namespace

TEST_CASE("the best of one parameter, its range and its edges") {
  const std::vector<TunedAxis> axes = {tuned_axis("s", {"1", "2", "4", "8", "16", "32"})};
  const auto tuning = tune(axes, values_of({100, 50, 41, 40, 42, 60}), 5);
  REQUIRE(tuning);
  CHECK(tuning->best == 3);
  CHECK(tuning->ties.empty());
  const TuningLine& line = tuning->lines.at(0);
  CHECK(line.worth == Places{2, 3, 4}); // 42 is 5 % worse, to the unit
  CHECK(line.apart.empty());
  CHECK(!line.at_least);
  CHECK(!line.at_greatest);
  CHECK(tune(axes, values_of({100, 50, 41, 40, 42, 60}), 4.99)->lines[0].worth == Places{2, 3});
  CHECK(tune(axes, values_of({100, 50, 41, 40, 42, 60}), 0)->lines[0].worth == Places{3});
}

TEST_CASE("a value exactly so many percent worse is near, as a decimal fraction would not say") {
  for (std::int64_t percent = 0; percent <= 1000; ++percent)
    for (const std::int64_t best : {1, 3, 7, 100, 1234567}) {
      const std::int64_t worse = best * (100 + percent); // of 100 * best
      INFO(best << " " << percent);
      CHECK(is_near(worse, 100 * best, static_cast<double>(percent)));
      CHECK(!is_near(worse + 1, 100 * best, static_cast<double>(percent)));
    }
  CHECK(is_near(116.0, 100.0, 16));
}

TEST_CASE("a range ends at a worse value, and passes over those that cannot be chosen") {
  const std::vector<TunedAxis> axes = {tuned_axis("s", {"1", "2", "4", "8", "16"})};
  CHECK(tune(axes, values_of({40, 90, 40, 41, 40}), 5)->lines[0].apart == Places{2, 3, 4});
  CHECK(tune(axes, values_of({40, 90, 40, 41, 40}), 5)->lines[0].worth == Places{0});
  CHECK(tune(axes, values_of({90, 40, -1, 41, 90}), 5)->lines[0].worth == Places{1, 3});
}

TEST_CASE("numbers are compared by size, other values by their objective") {
  const auto numbers = tune({tuned_axis("s", {"16", "4", "9"})}, values_of({10, 30, 20}), 5);
  CHECK(numbers->best == 0);
  CHECK(numbers->lines[0].at_greatest);
  CHECK(tune({tuned_axis("s", {"16", "4", "9"})}, values_of({10, 30, 20}), 500)->lines[0].worth ==
        Places{1, 2, 0});
  const auto texts =
      tune({tuned_axis("layout t", {"rows", "padded(1)", "diagonal"})}, values_of({90, 10, 10}), 0);
  CHECK(texts->best == 1);
  CHECK(texts->ties == Places{2});
  CHECK(texts->lines[0].worth == Places{1, 2});
  CHECK(!texts->lines[0].at_least);
  CHECK(tuned_axis("s", {"1", "w"}).numbers.empty());
}

TEST_CASE("equal values tie, the least is the best, and an edge needs something worse") {
  const std::vector<TunedAxis> axes = {tuned_axis("s", {"4", "2", "1"})};
  const auto equal = tune(axes, values_of({7, 7, 7}), 5);
  CHECK(equal->best == 2);
  CHECK(equal->ties == Places{1, 0});
  CHECK(equal->all_equal);
  CHECK(!equal->lines[0].at_least);
  const auto level_to_the_end = tune(axes, values_of({7, 7, 9}), 5);
  CHECK(level_to_the_end->best == 1);
  CHECK(!level_to_the_end->lines[0].at_greatest);
  CHECK(tune(axes, values_of({9, 8, 7}), 5)->lines[0].at_least);
  CHECK(!tune(axes, values_of({-1, -1, -1}), 5));
  CHECK(!tune(axes, values_of({-1, 3, -1}), 5)->all_equal);
}

TEST_CASE("whole numbers beyond 2^53 are told apart, and zeros have ratios") {
  const std::int64_t large = std::int64_t{1} << 60;
  const auto tuning = tune({tuned_axis("s", {"1", "2"})}, values_of({large + 1, large}), 5);
  CHECK(tuning->best == 1);
  CHECK(tuning->ties.empty());
  CHECK(ratio_of(std::int64_t{0}, std::int64_t{0}) == 1.0);
  CHECK(!ratio_of(std::int64_t{3}, std::int64_t{0}));
  CHECK(!ratio_of(std::int64_t{3}, Cell()));
  CHECK(ratio_of(std::int64_t{6}, 3.0) == 2.0);
  CHECK(mean_of({}) == Cell());
  CHECK(mean_of({std::int64_t{1}, std::monostate()}) == Cell());
  CHECK(mean_of({std::int64_t{1}, std::int64_t{2}}) == Cell(1.5));
  CHECK(mean_of({large + 1, large + 1}) == Cell(large + 1));
}

TEST_CASE("of two parameters the best and its lines are those of all tries") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t rows = 2 + random() % 4, columns = 2 + random() % 4;
    std::vector<std::string> down, across;
    for (std::size_t k = 0; k < rows; ++k) down.push_back(std::to_string(k + 1));
    for (std::size_t k = 0; k < columns; ++k) across.push_back(std::to_string(2 * k + 1));
    std::vector<TunedValue> values;
    for (std::size_t a = 0; a < rows; ++a)
      for (std::size_t b = 0; b < columns; ++b)
        values.push_back({{a, b}, random() % 6 == 0 ? Cell() : Cell(std::int64_t(random() % 9))});
    const auto tuning = tune({tuned_axis("a", down), tuned_axis("b", across)}, values, 25);
    const auto number = [&](std::size_t value) {
      const auto* whole = std::get_if<std::int64_t>(&values[value].objective);
      return whole ? *whole : INT64_MAX; // INT64_MAX: it cannot be chosen
    };
    std::int64_t least = INT64_MAX;
    for (std::size_t value = 0; value < values.size(); ++value)
      least = std::min(least, number(value));
    if (least == INT64_MAX) {
      CHECK(!tuning);
      continue;
    }
    REQUIRE(tuning);
    std::size_t first = 0, equal = 0;
    while (number(first) != least) ++first;
    for (std::size_t value = 0; value < values.size(); ++value) equal += number(value) == least;
    CHECK(tuning->best == first);
    CHECK(tuning->ties.size() == equal - 1);
    for (std::size_t axis = 0; axis < 2; ++axis)
      for (const std::size_t value : tuning->lines[axis].worth) {
        CHECK(values[value].at[1 - axis] == values[first].at[1 - axis]);
        CHECK(static_cast<double>(number(value)) <= 1.25 * static_cast<double>(least));
      }
  }
}

TEST_CASE("ranges go on as they are written") {
  const auto more = [](const std::string& text, bool beyond_greatest) {
    Sources sources;
    SweepOptions options;
    options.programs = {"p"};
    options.definitions = {"s=" + text};
    const Result<SweepSpec> spec = read_sweep_options(sources, options, "umm-w32");
    REQUIRE(spec);
    return more_values(spec->axes.at(0).at(0), beyond_greatest);
  };
  CHECK(more("1..64:pow2", true) == "128");
  CHECK(more("1..64:pow2", false) == "");
  CHECK(more("4..64:pow2", false) == "2");
  CHECK(more("3..6:pow2", false) == "");
  CHECK(more("1..4", true) == "5..8");
  CHECK(more("1..4", false) == "");
  CHECK(more("10..20:5", true) == "25..35:5");
  CHECK(more("10..20:5", false) == "5..5:5");
  CHECK(more("7,3,5", true) == "14");
  CHECK(more("7,3,5", false) == "1");
  CHECK(more("0,1", true) == "");
  CHECK(more("w,2*w", true) == "");
}

} // namespace memlane::sweep
