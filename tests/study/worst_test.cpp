// The search for the worst input, on functions whose greatest value is known.
#include "support/catch.hpp"

#include "memlane/study/worst/search.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

namespace memlane::sweep {
namespace {

std::vector<ir::Value> words_of(const std::vector<std::int64_t>& numbers) {
  std::vector<ir::Value> values;
  for (const std::int64_t number : numbers) values.push_back(ir::Value::of(number));
  return values;
}

std::vector<std::int64_t> numbers_in(const std::vector<ir::Value>& values) {
  std::vector<std::int64_t> numbers;
  for (const ir::Value value : values) numbers.push_back(value.integer());
  return numbers;
}

/// One array, and its own content as the only start.
SearchPlace place_of(std::vector<std::int64_t> content,
                     std::optional<std::pair<std::int64_t, std::int64_t>> range = {}) {
  SearchPlace place;
  place.arrays.push_back({"a", ir::Scalar::int64, range, words_of(content)});
  place.starts.push_back({"own content", {words_of(content)}});
  return place;
}

/// Stages of a warp that reads word a[i] in round i, with so many banks: a shuffled sum without
/// any order that helps.
double rugged(const std::vector<ir::Value>& content) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < content.size(); ++k)
    sum += content[k].integer() * static_cast<std::int64_t>((k * k * 7 + 3 * k) % 11);
  return static_cast<double>(sum % 101);
}

EvaluateTrials all_of(double (*value)(const std::vector<ir::Value>&)) {
  return [value](const std::vector<SearchTrial>& trials) {
    std::vector<TrialValue> values;
    for (const SearchTrial& trial : trials) values.push_back({true, value(trial.input.front())});
    return values;
  };
}

} // namespace

TEST_CASE("few inputs are tried all, and the greatest and the least are those of all") {
  for (const std::size_t n : {1U, 2U, 4U, 6U}) {
    std::vector<std::int64_t> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    double greatest = -1, least = 1000;
    std::vector<std::int64_t> order = numbers;
    std::int64_t count = 0;
    do {
      const double value = rugged(words_of(order));
      greatest = std::max(greatest, value);
      least = std::min(least, value);
      ++count;
    } while (std::next_permutation(order.begin(), order.end()));
    const std::vector<SearchPlace> places = {place_of(numbers)};
    CHECK(inputs_of(places.front()) == count);
    const SearchOutcome most = search_inputs(places, {false, 720, 1}, all_of(rugged));
    CHECK(most.every_input);
    CHECK(most.trials == count);
    CHECK(most.found->value == greatest);
    CHECK(search_inputs(places, {true, 720, 1}, all_of(rugged)).found->value == least);
  }
}

TEST_CASE("inputs are counted, equal elements once") {
  CHECK(inputs_of(place_of({5, 5, 5})) == 1);
  CHECK(inputs_of(place_of({1, 5, 5, 2})) == 12);
  CHECK(inputs_of(place_of({0, 0, 0}, std::pair(1, 4))) == 64);
  CHECK(inputs_of(place_of(std::vector<std::int64_t>(80, 0), std::pair(0, 1))) == INT64_MAX);
  std::vector<std::int64_t> many(40);
  std::iota(many.begin(), many.end(), 0);
  CHECK(inputs_of(place_of(many)) == INT64_MAX);
  SearchPlace two = place_of({1, 2, 3});
  two.arrays.push_back({"b", ir::Scalar::int64, std::pair(0, 1), words_of({0, 0})});
  CHECK(inputs_of(two) == 24);
}

TEST_CASE("local search climbs a slope to its top, within a range and by rearranging") {
  // The sum of the first half: the greatest values there are the best.
  const auto front = [](const std::vector<ir::Value>& content) {
    double sum = 0;
    for (std::size_t k = 0; k < content.size() / 2; ++k)
      sum += static_cast<double>(content[k].integer());
    return sum;
  };
  std::vector<std::int64_t> numbers(20);
  std::iota(numbers.begin(), numbers.end(), 0);
  const SearchOutcome order = search_inputs({place_of(numbers)}, {false, 3000, 1}, all_of(front));
  CHECK_FALSE(order.every_input);
  CHECK(order.trials == 3000);
  CHECK(order.found->value == 10 + 11 + 12 + 13 + 14 + 15 + 16 + 17 + 18 + 19);
  CHECK_FALSE(order.found->is_start);
  std::vector<std::int64_t> content = numbers_in(order.found->input.front());
  std::sort(content.begin(), content.end());
  CHECK(content == numbers);
  const SearchOutcome range =
      search_inputs({place_of(std::vector<std::int64_t>(10, 3), std::pair(0, 9))}, {false, 3000, 1},
                    all_of(front));
  CHECK(range.found->value == 5 * 9);
  for (const std::int64_t number : numbers_in(range.found->input.front()))
    CHECK((0 <= number && number <= 9));
}

// Words of a warp in its fullest bank: most values of the range are better than those that are
// there, so that new ones must be drawn.
TEST_CASE("local search draws values where only these gain") {
  const auto conflicts = [](const std::vector<ir::Value>& content) {
    double sum = 0;
    for (std::size_t warp = 0; warp < content.size(); warp += 32) {
      std::array<std::set<std::int64_t>, 32> banks;
      for (std::size_t k = warp; k < warp + 32; ++k) {
        const std::int64_t word = (content[k].integer() * 40503 + content[k].integer() / 97) & 1023;
        banks.at(static_cast<std::size_t>(word % 32)).insert(word);
      }
      std::size_t most = 0;
      for (const auto& bank : banks) most = std::max(most, bank.size());
      sum += static_cast<double>(most);
    }
    return sum;
  };
  const SearchPlace place = place_of(std::vector<std::int64_t>(64, 0), std::pair(0, 1'000'000));
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const SearchOutcome found = search_inputs({place}, {false, 2000, seed}, all_of(conflicts));
    CHECK(*found.found->value >= 18);
  }
}

TEST_CASE("the first input that refutes is kept, with a value or without") {
  for (const bool valued : {true, false}) {
    const auto judge = [valued](const std::vector<SearchTrial>& trials) {
      std::vector<TrialValue> values;
      for (const SearchTrial& trial : trials) {
        const std::int64_t first = trial.input.front().front().integer();
        const bool refutes = first >= 2;
        values.push_back(
            {true,
             refutes && !valued ? std::nullopt : std::optional<double>(static_cast<double>(-first)),
             refutes});
      }
      return values;
    };
    const SearchOutcome outcome = search_inputs({place_of({1, 2, 3})}, {false, 100, 1}, judge);
    REQUIRE(outcome.refuting);
    CHECK(outcome.refuting->input.front().front().integer() == 2);
    CHECK(outcome.refuting->trial == 3);
    CHECK(outcome.refuting->value.has_value() == valued);
    CHECK(*outcome.found->value == -1);
  }
}

TEST_CASE("a search depends on its seed and values, and a stopped one is a part of it") {
  std::vector<std::int64_t> numbers(30);
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::vector<SearchPlace> places = {place_of(numbers)};
  const SearchOutcome one = search_inputs(places, {false, 1500, 7}, all_of(rugged));
  const SearchOutcome same = search_inputs(places, {false, 1500, 7}, all_of(rugged));
  CHECK(one.found->input == same.found->input);
  CHECK(one.found->trial == same.found->trial);
  // The first 100 trials alone: what they were, and the best of them.
  std::vector<SearchedInput> seen;
  const auto watch = [&](std::size_t most) {
    return [&seen, most](const std::vector<SearchTrial>& trials) {
      std::vector<TrialValue> values;
      for (const SearchTrial& trial : trials) {
        const bool ends = seen.size() < most;
        if (ends) seen.push_back(trial.input);
        values.push_back(ends ? TrialValue{true, rugged(trial.input.front())} : TrialValue{});
      }
      return values;
    };
  };
  search_inputs(places, {false, 1500, 7}, watch(1500));
  const std::vector<SearchedInput> whole = seen;
  seen.clear();
  const SearchOutcome stopped = search_inputs(places, {false, 1500, 7}, watch(100));
  CHECK(stopped.stopped);
  CHECK(stopped.trials == 100);
  REQUIRE(seen.size() == 100);
  CHECK(std::equal(seen.begin(), seen.end(), whole.begin()));
  double best = -1;
  for (const SearchedInput& input : seen) best = std::max(best, rugged(input.front()));
  CHECK(stopped.found->value == best);
  CHECK_FALSE(search_inputs(places, {false, 1500, 7}, watch(0)).found);
}

TEST_CASE("inputs without a value are passed over") {
  const auto odd_fails = [](const std::vector<SearchTrial>& trials) {
    std::vector<TrialValue> values;
    for (const SearchTrial& trial : trials) {
      const std::int64_t first = trial.input.front().front().integer();
      values.push_back({true, first % 2 == 0 ? std::optional<double>(first) : std::nullopt});
    }
    return values;
  };
  const SearchOutcome outcome = search_inputs({place_of({1, 2, 3})}, {false, 100, 1}, odd_fails);
  CHECK(outcome.found->value == 2);
  CHECK(outcome.failed == 4);
  CHECK_FALSE(search_inputs({place_of({1, 3, 5})}, {false, 100, 1}, odd_fails).found);
}

TEST_CASE("a stopped search of all inputs has tried them one by one, and counts limited runs") {
  std::vector<std::int64_t> numbers(6);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::size_t ended = 0;
  const auto some = [&ended](const std::vector<SearchTrial>& trials) {
    std::vector<TrialValue> values;
    for (const SearchTrial& trial : trials) {
      TrialValue& one = values.emplace_back();
      one.ended = ++ended <= 300; // of 720
      one.limited = one.ended && ended % 3 == 0;
      if (one.ended && !one.limited) one.value = rugged(trial.input.front());
    }
    return values;
  };
  const SearchOutcome stopped = search_inputs({place_of(numbers)}, {false, 1000, 1}, some);
  CHECK(stopped.stopped);
  CHECK(stopped.enumerates);
  CHECK_FALSE(stopped.every_input);
  CHECK(stopped.trials == 300);
  CHECK(stopped.limited == 100);
  CHECK(stopped.failed == 100);
  CHECK_FALSE(search_inputs({place_of(numbers)}, {false, 100, 1}, all_of(rugged)).enumerates);
}

TEST_CASE("a pattern keeps its order in other values") {
  const SearchedArray own{"a", ir::Scalar::int64, {}, words_of({7, 7, 1, 4})};
  CHECK(numbers_in(content_like(own, words_of({3, 2, 1, 0}))) ==
        std::vector<std::int64_t>{7, 7, 4, 1});
  SearchedArray range{"a", ir::Scalar::int64, std::pair(10, 19), words_of({0, 0, 0, 0})};
  CHECK(numbers_in(content_like(range, words_of({12, 11, 10, 19}))) ==
        std::vector<std::int64_t>{12, 11, 10, 19});
  CHECK(numbers_in(content_like(range, words_of({3, 0, 2, 0}))) ==
        std::vector<std::int64_t>{12, 10, 11, 10});
  range.range = std::pair(INT64_MIN, INT64_MIN + 1);
  CHECK(numbers_in(content_like(range, words_of({3, 0, 2, 1}))) ==
        std::vector<std::int64_t>{INT64_MIN + 1, INT64_MIN, INT64_MIN + 1, INT64_MIN});
}

} // namespace memlane::sweep
