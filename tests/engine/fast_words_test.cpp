// Words that are looked at many at a time, against one after the other.
#include "engine/fast/vectors.hpp"
#include "support/catch.hpp"

#include <map>
#include <random>
#include <set>

using namespace memlane;

namespace {

bool below_one_by_one(const std::vector<std::int32_t>& words,
                      const std::vector<std::uint8_t>& active, std::int64_t end) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (active[i] && (words[i] < 0 || words[i] >= end)) return false;
  return true;
}

/// configs/README.md section 2: of a discrete unit the most different words of a bank, of a unified
/// one the different groups.
std::int64_t stages_one_by_one(const std::vector<std::int64_t>& addresses, UnitKind kind,
                               std::int64_t width) {
  std::set<std::int64_t> groups;
  std::map<std::int64_t, std::set<std::int64_t>> banks;
  for (const std::int64_t address : addresses) {
    groups.insert(address / width);
    banks[address % width].insert(address);
  }
  if (kind == UnitKind::unified) return static_cast<std::int64_t>(groups.size());
  std::size_t most = 0;
  for (const auto& [bank, words] : banks) most = std::max(most, words.size());
  return static_cast<std::int64_t>(most);
}

} // namespace

TEST_CASE("indices are held against an array's end as one after the other would be") {
  std::mt19937_64 generator(7);
  const std::int64_t ends[] = {-1, 0, 1, 2, 100, INT32_MAX, std::int64_t{1} << 31, INT64_MAX};
  const std::int32_t corners[] = {INT32_MIN, -1, 0, 1, 99, 100, INT32_MAX - 1, INT32_MAX};
  const fast::Shape shape{3, 8};
  int inside = 0, outside = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<std::int32_t> words(24, 0);
    std::vector<std::uint8_t> active(24, 1);
    const bool some = round % 2 == 1;
    if (round % 3 > 0) words[generator() % 24] = corners[generator() % 8];
    if (some)
      for (auto& on : active) on = generator() % 2;
    const std::int64_t end = ends[generator() % 8];
    const bool expected = below_one_by_one(words, active, end);
    CHECK(fast::each_below(words.data(), shape, some ? active.data() : nullptr, end) == expected);
    ++(expected ? inside : outside);
  }
  CHECK(inside > 500);
  CHECK(outside > 500);
}

TEST_CASE("stages of words here and there are those of the definition") {
  std::mt19937_64 generator(8);
  const auto width = GENERATE(std::int64_t{1}, 2, 3, 16, 32, 48, 64, 128);
  const auto kind = GENERATE(UnitKind::discrete, UnitKind::unified);
  fast::Banks banks(kind, width);
  for (int round = 0; round < 500; ++round) {
    // From few words, which meet often, to many.
    const auto range = std::int64_t{1} << generator() % 14;
    const auto base = static_cast<std::int64_t>(generator() % 100);
    const auto count = static_cast<std::size_t>(width);
    std::vector<std::int32_t> words(count);
    std::vector<std::int64_t> addresses(count);
    for (std::size_t i = 0; i < count; ++i) {
      words[i] = static_cast<std::int32_t>(generator() % static_cast<std::uint64_t>(range));
      addresses[i] = base + words[i];
    }
    const std::int64_t expected = stages_one_by_one(addresses, kind, width);
    const auto lanes = static_cast<int>(width);
    const unsigned char memory[4] = {};
    CHECK(banks.of_words(base, words.data(), lanes, {}) == expected);
    CHECK(banks.of_words(base, words.data(), lanes, {memory, words.data(), 4}) == expected);
    CHECK(banks.of_addresses(addresses.data(), lanes, nullptr) == expected);
    std::int64_t repeated = 0;
    CHECK(banks.of_addresses(addresses.data(), lanes, &repeated) == expected);
    const std::set<std::int64_t> different(addresses.begin(), addresses.end());
    CHECK((repeated > 0) == (different.size() < count));
  }
}
