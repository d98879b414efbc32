// Linear maps of bits and strides against their definitions, on small ones whole.
#include "support/catch.hpp"

#include "memlane/machine/layout.hpp"
#include "memlane/support/random.hpp"

#include <algorithm>
#include <set>

namespace memlane {
namespace {

bool is_onto(const BitMap& map) {
  std::set<std::int64_t> words;
  for (std::int64_t i = 0; i < map.tile(); ++i) words.insert(map.word(i));
  return std::int64_t(words.size()) == map.tile() && *words.begin() == 0 &&
         *words.rbegin() == map.tile() - 1;
}

std::int64_t by_shifts(const BitMap& map, std::int64_t i) {
  std::int64_t word = i & -map.tile();
  for (const auto& [shift, mask] : shifted_bits(map))
    word ^= (shift >= 0 ? i >> shift : i << -shift) & mask;
  return word;
}

std::int64_t elements_of(const StrideMap& map) {
  std::int64_t elements = 1;
  for (const StrideMap::Digit& digit : map.digits) elements *= digit.size;
  return elements;
}

} // namespace

TEST_CASE("maps of bits drawn by hand") {
  const BitMap swizzle{{1, 2, 5, 10}}; // swizzle(2, 0, 2)
  for (std::int64_t i = 0; i < 100; ++i) CHECK(swizzle.word(i) == Swizzle{2, 0, 2}.word(i));
  const Placement placed = place_mapped(20, 4, swizzle);
  CHECK(placed.footprint == 32);
  CHECK(placed.word(5) == 4);
  CHECK(placed.word(21) == 20);
  CHECK(place_mapped(0, 4, swizzle).footprint == 0);
  const BitMap reversed{{4, 2, 1}};
  CHECK(reversed.word(1) == 4);
  CHECK(reversed.word(9) == 12);
}

TEST_CASE("of all maps of three bits 168 are onto, which is what their problems say") {
  int good = 0;
  for (std::int64_t a = 0; a < 8; ++a)
    for (std::int64_t b = 0; b < 8; ++b)
      for (std::int64_t c = 0; c < 8; ++c) {
        const BitMap map{{a, b, c}};
        REQUIRE(problem_of(map).empty() == is_onto(map));
        good += is_onto(map) ? 1 : 0;
        for (std::int64_t i = 0; i < 20; ++i) REQUIRE(by_shifts(map, i) == map.word(i));
      }
  CHECK(good == 168); // (8 - 1) (8 - 2) (8 - 4)
}

TEST_CASE("larger maps by shifts are the same") {
  std::uint64_t draw = 0;
  for (int round = 0; round < 50; ++round) {
    BitMap map;
    for (int j = 0; j < 11; ++j) map.columns.push_back(random_integer(3, 4, draw++, 0, 2047));
    for (std::int64_t i = 0; i < 5000; i += 7) REQUIRE(by_shifts(map, i) == map.word(i));
  }
  BitMap widest;
  for (std::size_t j = 0; j < BitMap::most_bits; ++j)
    widest.columns.push_back(std::int64_t{1} << (BitMap::most_bits - 1 - j));
  CHECK(problem_of(widest).empty());
  CHECK(widest.word(1) == std::int64_t{1} << 30);
  widest.columns.push_back(1);
  CHECK(problem_of(widest) == "it has 32 words: give 1 to 31, of the elements 1, 2, 4, …");
}

TEST_CASE("what is wrong with a map of bits") {
  CHECK(problem_of(BitMap{{1, 4}}) ==
        "element 2 lies at word 4: 2 words are given, so that a tile has the words 0 to 3");
  CHECK(problem_of(BitMap{{1, -1}}).find("element 2 lies at word -1") == 0);
  CHECK(problem_of(BitMap{{1, 2, 3}}) == "elements 3 and 4 lie at the same word 3");
  CHECK(problem_of(BitMap{{0}}) == "elements 0 and 1 lie at the same word 0");
  CHECK(problem_of(BitMap{{}}).find("it has 0 words") == 0);
}

TEST_CASE("strides drawn by hand") {
  const StrideMap padded{{{32, 1}, {32, 33}}};
  CHECK(padded.word(33) == 34);
  CHECK(padded.footprint() == 31 * 34 + 1);
  CHECK(padded.period() == 32);
  CHECK_FALSE(overlap_of(padded));
  // (4, 8):(8, 1) of CuTe: index 5 is (1, 1).
  CHECK(StrideMap{{{4, 8}, {8, 1}}}.word(5) == 9);
  const Placement placed = place_strided(0, 4, StrideMap{{{4, 1}}});
  CHECK(placed.footprint == 0);
}

TEST_CASE("overlaps are found exactly where two elements have one word") {
  std::uint64_t draw = 0;
  const auto next = [&](std::int64_t lo, std::int64_t hi) {
    return random_integer(5, 6, draw++, lo, hi);
  };
  int overlaps = 0;
  for (int round = 0; round < 3000; ++round) {
    StrideMap map;
    for (std::int64_t k = next(1, 4); k > 0; --k) map.digits.push_back({next(1, 4), next(0, 20)});
    std::set<std::int64_t> words;
    const std::int64_t elements = elements_of(map);
    for (std::int64_t i = 0; i < elements; ++i) words.insert(map.word(i));
    REQUIRE(*words.rbegin() + 1 == map.footprint());
    const auto overlap = overlap_of(map);
    REQUIRE(overlap.has_value() == (std::int64_t(words.size()) < elements));
    if (!overlap) continue;
    ++overlaps;
    REQUIRE_FALSE(overlap->undecided);
    REQUIRE((0 <= overlap->earlier && overlap->earlier < overlap->later));
    REQUIRE(overlap->later < elements);
    REQUIRE(map.word(overlap->earlier) == map.word(overlap->later));
  }
  CHECK((overlaps > 500 && overlaps < 2500));
}

TEST_CASE("an overlap that takes too long to find is undecided") {
  StrideMap map;
  for (std::int64_t k = 0; k < 40; ++k) // close to each other, and no sum of some is one of others
    map.digits.push_back({2, (std::int64_t{1} << 45) + (std::int64_t{1} << k)});
  const auto overlap = overlap_of(map);
  CHECK((!overlap || overlap->undecided));
}

} // namespace memlane
