#include "fast/vectors.hpp"
#include "support/catch.hpp"

#include "memlane/support/random.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace memlane::test {

TEST_CASE("each way to find the fullest of 32 banks finds one with the most lanes") {
  const auto ways = fast::all_fullest_of_32();
  std::uint64_t counter = 0;
  for (int round = 0; round < 2000; ++round) {
    // Few words have many lanes each; bases are far from 0.
    const std::int64_t range = std::int64_t{1} << (round % 31);
    const auto base = static_cast<std::uint32_t>(random_integer(7, 1, counter++, 0, UINT32_MAX));
    std::array<std::int32_t, 32> words;
    std::array<std::uint32_t, 32> lanes_of{};
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = static_cast<std::int32_t>(random_integer(7, 1, counter++, 0, range - 1));
      const std::uint32_t bank = (base + static_cast<std::uint32_t>(words[i])) % 32;
      lanes_of[bank] |= std::uint32_t{1} << i;
    }
    int most = 0;
    for (const std::uint32_t lanes : lanes_of) most = std::max(most, std::popcount(lanes));
    for (const fast::FullestOf32 way : ways) {
      const fast::FullestBank found = way(base, words.data());
      REQUIRE(found.lanes == most);
      REQUIRE(std::popcount(found.which) == most);
      REQUIRE(std::count(lanes_of.begin(), lanes_of.end(), found.which) == 1);
    }
  }
}

} // namespace memlane::test
