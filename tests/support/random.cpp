#include "memlane/support/random.hpp"

#include "support/catch.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <set>

using namespace memlane;

TEST_CASE("Philox4x32-10 gives the published test vectors") {
  // The first two of the four output words of the three vectors published with the generator.
  CHECK(random_bits(0, 0, 0) == 0xe169c58d6627e8d5u);
  const std::uint64_t ones = ~std::uint64_t{0};
  CHECK(random_bits(ones, ones, ones) == 0x41c83b0e408f276du);
  // Digits of pi: counter 243f6a88 85a308d3 13198a2e 03707344, key a4093822 299f31d0.
  CHECK(random_bits(0x299f31d0a4093822u, 0x0370734413198a2eu, 0x85a308d3243f6a88u) ==
        0x94fdccebd16cfe09u);
}

TEST_CASE("random integers cover exactly their range") {
  std::array<int, 10> seen{};
  for (std::uint64_t k = 0; k < 10000; ++k) {
    const std::int64_t value = random_integer(7, 3, k, -4, 5);
    REQUIRE(value >= -4);
    REQUIRE(value <= 5);
    ++seen[static_cast<std::size_t>(value + 4)];
  }
  for (const int times : seen) { // 1000 each, by nine standard deviations
    CHECK(times > 1000 - 270);
    CHECK(times < 1000 + 270);
  }
}

TEST_CASE("random integers of extreme ranges") {
  const auto least = std::numeric_limits<std::int64_t>::min();
  const auto most = std::numeric_limits<std::int64_t>::max();
  std::set<bool> signs;
  for (std::uint64_t k = 0; k < 64; ++k) {
    CHECK(random_integer(1, 2, k, 42, 42) == 42);
    CHECK(random_integer(1, 2, k, least, least) == least);
    CHECK(random_integer(1, 2, k, most, most) == most);
    signs.insert(random_integer(1, 2, k, least, most) < 0);
    // Just over half of all numbers: about half of the draws are rejected and drawn again.
    CHECK(random_integer(1, 2, k, -1, most) >= -1);
  }
  CHECK(signs.size() == 2);
}

TEST_CASE("rejected draws leave every result equally likely") {
  // 3 * 2^62 values: a plain remainder would make the lowest third twice as likely.
  const std::int64_t lo = std::numeric_limits<std::int64_t>::min();
  const std::int64_t hi = lo + 3 * (std::int64_t{1} << 61) - 1 + 3 * (std::int64_t{1} << 61);
  int lowest_third = 0;
  for (std::uint64_t k = 0; k < 9000; ++k)
    if (random_integer(11, 0, k, lo, hi) < lo + (std::int64_t{1} << 62)) ++lowest_third;
  CHECK(lowest_third > 3000 - 270);
  CHECK(lowest_third < 3000 + 270);
}

TEST_CASE("random numbers depend on seed, stream and counter alone") {
  CHECK(random_bits(1, 2, 3) == random_bits(1, 2, 3));
  const std::set<std::uint64_t> different{random_bits(1, 2, 3), random_bits(2, 2, 3),
                                          random_bits(1, 3, 3), random_bits(1, 2, 4),
                                          random_bits(1, 3, 2), random_bits(3, 2, 1)};
  CHECK(different.size() == 6);
}

TEST_CASE("random reals exclude the upper end") {
  double sum = 0;
  for (std::uint64_t k = 0; k < 10000; ++k) {
    const double value = random_real(5, 1, k, -1.0, 3.0);
    REQUIRE(value >= -1.0);
    REQUIRE(value < 3.0);
    sum += value;
  }
  CHECK(sum / 10000 > 0.9);
  CHECK(sum / 10000 < 1.1);
  const double most = std::numeric_limits<double>::max();
  for (std::uint64_t k = 0; k < 100; ++k) {
    const double tight = random_real(5, 2, k, 1.0, 1.0 + 0x1p-52); // one number fits
    CHECK(tight == 1.0);
    const double wide = random_real(5, 3, k, -most, most);
    CHECK(wide >= -most);
    CHECK(wide < most);
    CHECK(random_real(5, 4, k, 2.5, 2.5) == 2.5);
  }
}

TEST_CASE("random_integers equals single calls of random_integer") {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const std::array<std::array<std::int64_t, 2>, 7> bounds = {{{0, 9},
                                                              {-5, 5},
                                                              {7, 7},
                                                              {0, (std::int64_t{1} << 62) + 12345},
                                                              {least, most},
                                                              {least, 0},
                                                              {0, most}}};
  for (const auto& [lo, hi] : bounds) {
    // Also where the counter's upper half changes, and with a rest of a vector.
    for (const std::uint64_t first : {std::uint64_t{1'000'000}, (std::uint64_t{1} << 32) - 500}) {
      std::array<std::int64_t, 997> numbers{};
      random_integers(3, 14, first, numbers.size(), lo, hi, numbers.data());
      for (std::uint64_t i = 0; i < numbers.size(); ++i)
        REQUIRE(numbers[i] == random_integer(3, 14, first + i, lo, hi));
    }
  }
}
