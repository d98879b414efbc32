#include "support/catch.hpp"

#include "memlane/machine/stages.hpp"
#include "memlane/support/random.hpp"

#include <algorithm>
#include <set>
#include <vector>

using namespace memlane;

namespace {

std::vector<Address> request(std::initializer_list<std::int64_t> words) {
  std::vector<Address> addresses;
  for (std::int64_t word : words) addresses.push_back({word});
  return addresses;
}

/// The two definitions of configs/README.md section 2, without sorting.
std::int64_t stages_by_definition(UnitKind kind, std::int64_t width,
                                  const std::vector<Address>& addresses) {
  std::set<std::int64_t> cells, groups;
  for (Address address : addresses) {
    cells.insert(address.value);
    groups.insert(address.value / width);
  }
  if (kind == UnitKind::unified) return static_cast<std::int64_t>(groups.size());
  std::int64_t most = 0;
  for (std::int64_t bank_number = 0; bank_number < width; ++bank_number) {
    most = std::max<std::int64_t>(most, std::count_if(cells.begin(), cells.end(), [&](auto cell) {
                                    return cell % width == bank_number;
                                  }));
  }
  return most;
}

} // namespace

TEST_CASE("stages of the requests in the papers' figures") {
  // Nakano 2014, Fig. 3: 2 + 1 stages on the DMM, 3 + 2 on the UMM.
  const auto first = request({7, 5, 15, 0});
  const auto second = request({10, 11, 12, 9});
  CHECK(stages(UnitKind::discrete, 4, first) == 2);
  CHECK(stages(UnitKind::discrete, 4, second) == 1);
  CHECK(stages(UnitKind::unified, 4, first) == 3);
  CHECK(stages(UnitKind::unified, 4, second) == 2);
  // Koike 2015, Fig. 2.18: l + 1 and l + 2 for one warp are 2 and 3 stages.
  const auto third = request({0, 1, 5, 10});
  CHECK(stages(UnitKind::discrete, 4, third) == 2);
  CHECK(stages(UnitKind::unified, 4, third) == 3);
}

TEST_CASE("stages of lanes that access several words each") {
  const std::vector<std::int64_t> rows{0, 2, 4, 6}, spread{0, 4, 8, 12}, some{-1, 4, -1, 4};
  // Two lanes of two words fill the four banks: the others come after them.
  CHECK(stages_of_lanes(UnitKind::discrete, 4, rows, 2) == 2);
  CHECK(stages_of_lanes(UnitKind::discrete, 4, spread, 2) == 4);
  CHECK(stages_of_lanes(UnitKind::discrete, 4, some, 2) == 2);
  CHECK(stages_of_lanes(UnitKind::discrete, 4, rows, 8) == 8);
  CHECK(stages_of_lanes(UnitKind::unified, 4, rows, 2) == 2);
  CHECK(stages_of_lanes(UnitKind::unified, 4, spread, 2) == 4);
  CHECK(stages_of_lanes(UnitKind::unified, 4, spread, 8) == 5);
  CHECK(stages_of_lanes(UnitKind::discrete, 4, {}, 2) == 0);
}

TEST_CASE("stages of empty, equal and unaligned requests") {
  for (UnitKind kind : {UnitKind::discrete, UnitKind::unified}) {
    INFO(name_of(kind));
    CHECK(stages(kind, 4, {}) == 0);
    CHECK(stages(kind, 4, request({6, 6, 6, 6})) == 1);
    CHECK(stages(kind, 4, request({8, 9, 10, 11})) == 1);
    CHECK(stages(kind, 4, request({0, 4, 8, 12})) == 4);
    CHECK(stages(kind, 1, request({3})) == 1);
  }
  // Contiguous but unaligned: distinct banks, two groups.
  CHECK(stages(UnitKind::discrete, 4, request({2, 3, 4, 5})) == 1);
  CHECK(stages(UnitKind::unified, 4, request({2, 3, 4, 5})) == 2);
  // Equal words are merged before banks are counted.
  CHECK(stages(UnitKind::discrete, 4, request({1, 5, 1, 5})) == 2);
}

TEST_CASE("stages equal their definition on random requests") {
  std::uint64_t draw = 0;
  const auto next = [&](std::int64_t hi) { return random_integer(11, 1, draw++, 0, hi); };
  for (int round = 0; round < 2000; ++round) {
    const std::int64_t width = 1 + next(39);
    const std::int64_t span_of_words = next(3) == 0 ? 1000000000000 : 4 * width;
    std::vector<Address> addresses(static_cast<std::size_t>(next(width)));
    for (Address& address : addresses) address.value = next(span_of_words);
    for (UnitKind kind : {UnitKind::discrete, UnitKind::unified}) {
      const std::int64_t count = stages(kind, width, addresses);
      REQUIRE(count == stages_by_definition(kind, width, addresses));
      std::reverse(addresses.begin(), addresses.end());
      REQUIRE(stages(kind, width, addresses) == count);
    }
  }
}
