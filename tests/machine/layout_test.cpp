#include "support/catch.hpp"

#include "memlane/machine/bank_access.hpp"
#include "memlane/machine/layout.hpp"
#include "memlane/machine/stages.hpp"
#include "memlane/support/random.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

using namespace memlane;

namespace {

std::vector<std::int64_t> words_of(const Placement& placement, std::int64_t elements) {
  std::vector<std::int64_t> words;
  for (std::int64_t i = 0; i < elements; ++i) words.push_back(placement.word(i));
  return words;
}

/// Checks that every element has its own word inside the footprint.
void check_injective(const Placement& placement, std::int64_t elements) {
  const auto words = words_of(placement, elements);
  const std::set<std::int64_t> distinct(words.begin(), words.end());
  REQUIRE(distinct.size() == words.size());
  if (words.empty()) return;
  REQUIRE(*distinct.begin() >= 0);
  REQUIRE(*distinct.rbegin() < placement.footprint);
}

using Words = std::vector<std::int64_t>;

} // namespace

TEST_CASE("layouts drawn by hand") {
  CHECK(words_of(place_rows(6, 4), 6) == Words{0, 1, 2, 3, 4, 5});
  CHECK(words_of(place_padded(6, 2, 1), 6) == Words{0, 1, 3, 4, 6, 7});
  CHECK(words_of(place_diagonal(9, 3), 9) == Words{0, 1, 2, 4, 5, 3, 8, 6, 7});
  // The last row is partial and rotates within a whole one.
  CHECK(words_of(place_diagonal(5, 3), 5) == Words{0, 1, 2, 4, 5});
  CHECK(words_of(place_diagonal(4, 3), 4) == Words{0, 1, 2, 4});
  // Bit 0 changes by bit 2, in tiles of 2 words; bits 1 and 2 by bits 3 and 4, in tiles of 8.
  CHECK(words_of(place_swizzled(7, 4, {1, 0, 2}), 7) == Words{0, 1, 2, 3, 5, 4, 7});
  CHECK(place_swizzled(32, 4, {2, 1, 2}).word(9) == 11);
  CHECK(place_swizzled(32, 4, {2, 1, 2}).word(31) == 25);
  CHECK(words_of(place_table({4, 0, 9}), 3) == Words{4, 0, 9});
}

TEST_CASE("footprints") {
  CHECK(place_rows(5, 4).footprint == 5);
  CHECK(place_padded(1024, 32, 1).footprint == 1056); // a 32 x 33 tile
  CHECK(place_padded(70, 32, 1).footprint == 72);     // 70 + floor(70 / 32)
  CHECK(place_padded(70, 32, 0).footprint == 70);
  CHECK(place_diagonal(70, 32).footprint == 96);
  CHECK(place_random_shift(70, 32, 1, 2).footprint == 96);
  CHECK(place_random_permute(70, 32, 32, 1, 2).footprint == 96);
  CHECK(place_swizzled(70, 32, {5, 0, 5}).footprint == 96);
  CHECK(place_swizzled(70, 32, {2, 3, 5}).footprint == 96);
  CHECK(place_swizzled(7, 4, {1, 0, 2}).footprint == 8);
  CHECK(place_table({4, 0, 9}).footprint == 10);
  CHECK(place_table({}).footprint == 0);
  for (std::int64_t row_length : {1, 4}) {
    CHECK(place_rows(0, row_length).footprint == 0);
    CHECK(place_padded(0, row_length, 3).footprint == 0);
    CHECK(place_diagonal(0, row_length).footprint == 0);
    CHECK(place_swizzled(0, row_length, {5, 0, 5}).footprint == 0);
    CHECK(place_random_shift(0, row_length, 1, 1).footprint == 0);
  }
}

TEST_CASE("a footprint beyond 64 bits is the largest number") {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(place_padded(std::int64_t{1} << 40, 32, most).footprint == most);
  CHECK(place_padded(std::int64_t{1} << 40, 32, std::int64_t{1} << 30).footprint == most);
  CHECK(place_diagonal(most, 2).footprint == most);
  CHECK(place_table({most}).footprint == most);
}

TEST_CASE("a swizzle is its own inverse, inside its tiles") {
  // Widely spaced numbers of elements, which are no multiples of tiles either.
  for (std::int64_t bits = 1; bits <= 6; ++bits)
    for (std::int64_t base = 0; base <= 5; ++base)
      for (std::int64_t shift = bits; shift <= 8; ++shift)
        for (const std::int64_t elements : {1, 31, 32, 33, 1000, 4096, 5000}) {
          const Swizzle swizzle{bits, base, shift};
          const Placement placement = place_swizzled(elements, 32, swizzle);
          REQUIRE(placement.footprint >= elements);
          REQUIRE(placement.footprint % swizzle.tile() == 0);
          REQUIRE(placement.footprint - elements < swizzle.tile());
          std::vector<bool> taken(static_cast<std::size_t>(placement.footprint));
          for (std::int64_t i = 0; i < placement.footprint; ++i) {
            const std::int64_t word = placement.word(i);
            REQUIRE((0 <= word && word < placement.footprint));
            REQUIRE(placement.word(word) == i);
            REQUIRE_FALSE(taken[static_cast<std::size_t>(word)]);
            taken[static_cast<std::size_t>(word)] = true;
            // CUTLASS masks first and shifts then.
            const std::int64_t read = ((std::int64_t{1} << bits) - 1) << (base + shift);
            REQUIRE(word == (i ^ ((i & read) >> shift)));
          }
        }
}

TEST_CASE("numbers that make no swizzle") {
  CHECK(problem_of({1, 0, 1}).empty());
  CHECK(problem_of({5, 0, 5}).empty());
  CHECK(problem_of({15, 1, 15}).empty());
  CHECK(problem_of({0, 0, 5}) == "B is 0: give 1 or more");
  CHECK(problem_of({5, -1, 5}) == "M is -1: give 0 or more");
  CHECK(problem_of({5, 0, 4}) == "S is 4: give B = 5 or more");
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const Swizzle& swizzle :
       {Swizzle{16, 0, 16}, Swizzle{1, most, 1}, Swizzle{1, 0, most}, Swizzle{most, most, most}})
    CHECK(problem_of(swizzle) == "B + M + S is more than 31, the bits of a word's number");
}

TEST_CASE("every layout gives each element its own word") {
  std::uint64_t draw = 0;
  const auto next = [&](std::int64_t lo, std::int64_t hi) {
    return random_integer(3, 9, draw++, lo, hi);
  };
  for (int round = 0; round < 300; ++round) {
    const std::int64_t elements = next(0, 200);
    const std::int64_t row_length = next(1, 40);
    const std::int64_t width = next(1, 40);
    const auto seed = static_cast<std::uint64_t>(round);
    check_injective(place_rows(elements, row_length), elements);
    check_injective(place_padded(elements, row_length, next(0, 5)), elements);
    check_injective(place_diagonal(elements, row_length), elements);
    check_injective(place_random_shift(elements, row_length, seed, 7), elements);
    check_injective(place_random_permute(elements, row_length, width, seed, 7), elements);
  }
}

TEST_CASE("rotated layouts keep elements in their row") {
  const Placement shifted = place_random_shift(20 * 8, 8, 5, 1);
  const Placement permuted = place_random_permute(20 * 8, 8, 8, 5, 1);
  for (std::int64_t i = 0; i < 20 * 8; ++i) {
    REQUIRE(shifted.word(i) / 8 == i / 8);
    REQUIRE(permuted.word(i) / 8 == i / 8);
  }
}

TEST_CASE("a random permutation rotates w successive rows by w different numbers") {
  for (std::int64_t width : {1, 2, 32, 33}) {
    auto rotation = place_random_permute(width * width, width, width, 8, 2).rotation;
    std::sort(rotation.begin(), rotation.end());
    for (std::int64_t i = 0; i < width; ++i) {
      REQUIRE(rotation[static_cast<std::size_t>(i)] == i);
    }
  }
}

TEST_CASE("random layouts depend on seed and stream alone") {
  const auto words = [](std::uint64_t seed, std::uint64_t stream) {
    return words_of(place_random_permute(1024, 32, 32, seed, stream), 1024);
  };
  CHECK(words(1, 1) == words(1, 1));
  CHECK(words(1, 1) != words(2, 1));
  CHECK(words(1, 1) != words(1, 2));
  // A longer array begins as a shorter one does.
  const Placement small = place_random_shift(64, 32, 4, 4);
  const Placement large = place_random_shift(640, 32, 4, 4);
  for (std::int64_t i = 0; i < 64; ++i) REQUIRE(small.word(i) == large.word(i));
}

TEST_CASE("random rotations are evenly distributed") {
  std::vector<int> shifted(8), permuted(8);
  for (std::int64_t turn : place_random_shift(8 * 8000, 8, 1, 3).rotation) {
    ++shifted[static_cast<std::size_t>(turn)];
  }
  for (std::uint64_t seed = 0; seed < 8000; ++seed) {
    ++permuted[static_cast<std::size_t>(place_random_permute(64, 8, 8, seed, 3).rotation[0])];
  }
  // 8000 draws of eight values: 1000 each, standard deviation 30.
  for (int count : shifted) CHECK(std::abs(count - 1000) < 150);
  for (int count : permuted) CHECK(std::abs(count - 1000) < 150);
}

TEST_CASE(
    "a column of a w x w array is in one bank with layout rows, in all banks with the others") {
  const std::int64_t w = 32;
  const auto column_stages = [&](const Placement& placement) {
    std::vector<Address> column;
    for (std::int64_t row = 0; row < w; ++row) column.push_back({placement.word(row * w + 3)});
    return stages(UnitKind::discrete, w, column);
  };
  CHECK(column_stages(place_rows(w * w, w)) == w);
  CHECK(column_stages(place_padded(w * w, w, 1)) == 1);
  CHECK(column_stages(place_diagonal(w * w, w)) == 1);
  CHECK(column_stages(place_random_permute(w * w, w, w, 6, 6)) == 1);
  CHECK(column_stages(place_random_shift(w * w, w, 6, 6)) < w);
  CHECK(column_stages(place_swizzled(w * w, w, {5, 0, 5})) == 1);
  CHECK(column_stages(place_swizzled(w * w, w, {4, 0, 5})) == 2);
  CHECK(column_stages(place_swizzled(w * w, w, {3, 0, 5})) == 4);
  CHECK(column_stages(place_swizzled(w * w, w, {2, 0, 5})) == 8);
  CHECK(column_stages(place_swizzled(w * w, w, {1, 4, 5})) == 16);
}

TEST_CASE("the widest of the swizzles that are tried takes columns to different banks") {
  for (std::int64_t width = 2; width <= 64; width *= 2)
    for (std::int64_t row = 2; row <= 256; row *= 2) {
      const std::vector<LayoutChoice> choices = layout_choices(width, row);
      const LayoutChoice& widest = choices.back();
      INFO("width " << width << ", rows of " << row << ": " << widest.text());
      REQUIRE(widest.kind == LayoutKind::swizzle);
      const Placement placement = widest.place(width * row, row);
      for (std::int64_t column = 0; column < row; ++column) {
        std::set<std::int64_t> banks;
        for (std::int64_t i = 0; i < width; ++i)
          banks.insert(placement.word(i * row + column) % width);
        CHECK(static_cast<std::int64_t>(banks.size()) == width);
      }
    }
  CHECK(layout_choices(32, 33).back().text() == "diagonal");
  CHECK(layout_choices(32, 8).back().text() == "swizzle(3, 0, 5)");
}
