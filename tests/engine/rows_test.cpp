// Arithmetic on patterns, stages of patterns and proofs about them, against one lane after the
// other.
#include "engine/fast/block_run.hpp"
#include "engine/fast/races.hpp"
#include "engine/fast/vectors.hpp"
#include "support/catch.hpp"

#include <map>
#include <random>
#include <set>

using namespace memlane;
using fast::Rows;
using fast::Shape;

namespace {

class Numbers {
public:
  explicit Numbers(std::uint64_t seed) : generator_(seed) {}
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return low +
           static_cast<std::int64_t>(generator_() % static_cast<std::uint64_t>(high - low + 1));
  }

private:
  std::mt19937_64 generator_;
};

/// Rows with random digits, whose groups divide the width.
Rows random_rows(Numbers& numbers, const Shape& shape, std::int64_t most) {
  Rows rows;
  rows.first = numbers.pick(0, 40) * numbers.pick(0, 8);
  rows.warp_step = numbers.pick(-most, most) * numbers.pick(0, 8);
  rows.add_digit(1, numbers.pick(-2, 2) * numbers.pick(0, most));
  for (int lanes = 2; lanes < shape.width && rows.folds < 3; ++lanes) {
    const int before =
        rows.folds == 0 ? 1 : rows.fold[static_cast<std::size_t>(rows.folds - 1)].lanes;
    if (shape.width % lanes != 0 || lanes % before != 0 || numbers.pick(0, 2) > 0) continue;
    rows.add_digit(lanes, numbers.pick(-2, 4) * numbers.pick(0, 3 * most));
  }
  if (numbers.pick(0, 3) == 0) {
    rows.even = false;
    for (int k = 0; k < shape.warps; ++k) rows.bases.push_back(numbers.pick(0, 50) * most);
  }
  return rows;
}

/// Whether f(lane's number, k, j) holds for every lane.
template <class F>
bool all_lanes(const Shape& shape, F f) {
  for (int k = 0; k < shape.warps; ++k)
    for (int j = 0; j < shape.width; ++j)
      if (!f(k, j)) return false;
  return true;
}

Shape random_shape(Numbers& numbers) {
  static const int widths[] = {1, 2, 3, 4, 8, 12, 16, 32, 32, 32};
  return {static_cast<int>(numbers.pick(1, 5)), widths[numbers.pick(0, 9)]};
}

/// Forall iterations of a tile: one a lane, from the beginning of a row of them on.
Rows iterations_of(const Shape& shape, std::int64_t rows_before) {
  Rows i;
  i.first = rows_before * shape.width;
  i.warp_step = shape.width;
  i.lane_step = 1;
  return i;
}

} // namespace

TEST_CASE("sums, differences and multiples of patterns are those of their lanes") {
  Numbers numbers(1);
  int folded = 0;
  for (int round = 0; round < 5000; ++round) {
    const Shape shape = random_shape(numbers);
    const Rows a = random_rows(numbers, shape, 9), b = random_rows(numbers, shape, 9);
    const int sign = numbers.pick(0, 1) == 0 ? 1 : -1;
    Rows sum, multiple;
    const std::int64_t factor = numbers.pick(-3, 3);
    fast::multiply_rows(a, factor, shape, multiple);
    CHECK(all_lanes(shape, [&](int k, int j) { return multiple.at(k, j) == factor * a.at(k, j); }));
    const fast::Extent extent = fast::extent_of(a, shape);
    CHECK(all_lanes(shape, [&](int k, int j) {
      return a.at(k, j) >= extent.least && a.at(k, j) <= extent.most;
    }));
    if (!fast::add_rows(a, b, sign, shape, sum)) continue;
    CHECK(all_lanes(shape,
                    [&](int k, int j) { return sum.at(k, j) == a.at(k, j) + sign * b.at(k, j); }));
    folded += sum.folds > 1 ? 1 : 0;
    // One pattern has one form: what is taken away leaves what was there.
    Rows back;
    if (fast::add_rows(sum, b, -sign, shape, back)) CHECK(back.same(a));
  }
  CHECK(folded > 500);
}

TEST_CASE("quotients and remainders of patterns are those of their lanes") {
  Numbers numbers(2);
  int divided = 0, folded = 0;
  for (int round = 0; round < 20000; ++round) {
    const Shape shape = random_shape(numbers);
    Rows a = random_rows(numbers, shape, 6);
    const std::int64_t divisor =
        numbers.pick(0, 2) == 0 ? numbers.pick(1, 40) : 1 << numbers.pick(0, 6);
    if (numbers.pick(0, 2) == 0) {
      a = iterations_of(shape, numbers.pick(0, 5));
    } else if (numbers.pick(0, 1) == 0) {
      a.first = a.first / divisor * divisor;
      a.warp_step *= divisor;
    }
    if (fast::extent_of(a, shape).least < 0) continue;
    for (const bool quotient : {false, true}) {
      Rows result;
      if (!fast::divide_rows(a, divisor, quotient, shape, result)) continue;
      CHECK(all_lanes(shape, [&](int k, int j) {
        return result.at(k, j) == (quotient ? a.at(k, j) / divisor : a.at(k, j) % divisor);
      }));
      ++divided;
      folded += result.folds > 0 ? 1 : 0;
    }
  }
  CHECK(divided > 5000);
  CHECK(folded > 1000);
}

TEST_CASE("indices of foralls of several ranges are patterns where the ranges divide the warp") {
  const Shape shape{4, 32};
  for (const std::int64_t last : {1, 2, 4, 8, 16, 32, 64}) {
    for (const std::int64_t middle : {1, 2, 4, 8}) {
      const Rows iteration = iterations_of(shape, 3);
      Rows inner, rest, j, i;
      REQUIRE(fast::divide_rows(iteration, last, false, shape, inner));
      REQUIRE(fast::divide_rows(iteration, last, true, shape, rest));
      REQUIRE(fast::divide_rows(rest, middle, false, shape, j));
      REQUIRE(fast::divide_rows(rest, middle, true, shape, i));
      CHECK(all_lanes(shape, [&](int k, int lane) {
        const std::int64_t n = 96 + 32 * k + lane;
        return inner.at(k, lane) == n % last && j.at(k, lane) == n / last % middle &&
               i.at(k, lane) == n / last / middle;
      }));
    }
  }
}

TEST_CASE("stages of a folded request are those of its addresses") {
  Numbers numbers(3);
  int folded = 0;
  for (int round = 0; round < 20000; ++round) {
    const Shape shape = random_shape(numbers);
    Rows rows = random_rows(numbers, {1, shape.width}, numbers.pick(0, 1) == 0 ? 3 : 70);
    const std::int64_t first = 1000 + numbers.pick(0, 100) - fast::across(rows, shape.width).least;
    fast::Banks discrete(UnitKind::discrete, shape.width), unified(UnitKind::unified, shape.width);
    std::set<std::int64_t> groups;
    std::map<std::int64_t, std::set<std::int64_t>> banks;
    std::map<std::int64_t, int> times;
    for (int j = 0; j < shape.width; ++j) {
      const std::int64_t address = first + rows.offset(j);
      groups.insert(address / shape.width);
      banks[address % shape.width].insert(address);
      ++times[address];
    }
    std::size_t most = 0;
    for (const auto& [bank, words] : banks) most = std::max(most, words.size());
    std::int64_t repeated = 0;
    for (const auto& [address, count] : times) repeated += count > 1 ? 1 : 0;
    for (int again = 0; again < 2; ++again) { // the second time from what is known
      CHECK(discrete.of_pattern(first, rows) == static_cast<std::int64_t>(most));
      CHECK(unified.of_pattern(first, rows) == static_cast<std::int64_t>(groups.size()));
      CHECK(discrete.repeated_in(rows) == repeated);
      CHECK(unified.repeated_in(rows) == repeated);
    }
    folded += rows.folds > 0 ? 1 : 0;
  }
  CHECK(folded > 8000);
}

TEST_CASE("what is proven to be free of races is") {
  Numbers numbers(4);
  int proven = 0, folded = 0, racing = 0;
  for (int round = 0; round < 20000; ++round) {
    const Shape shape = random_shape(numbers);
    fast::LaneSets sets;
    sets.start(shape, shape.lanes());
    fast::RaceProof proof(shape);
    std::map<std::int64_t, std::set<std::int64_t>> readers, writers; // iterations by word
    bool added = true;
    int folds = 0;
    fast::Register elements;
    const std::int64_t accesses = numbers.pick(1, 3);
    for (std::int64_t access = 0; access < accesses && added; ++access) {
      fast::Register iterations;
      iterations.rows = iterations_of(shape, numbers.pick(0, 2));
      fast::set_form_of_rows(iterations);
      if (access == 0 || numbers.pick(0, 1) == 0)
        elements.rows = random_rows(numbers, shape, numbers.pick(0, 1) == 0 ? 2 : 32);
      fast::set_form_of_rows(elements);
      const bool write = access == 0 || numbers.pick(0, 1) == 0;
      folds = std::max(folds, elements.rows.folds);
      added = proof.add({&elements, &iterations, 1, static_cast<std::int32_t>(access), write},
                        sets.all(), sets);
      all_lanes(shape, [&](int k, int j) {
        (write ? writers : readers)[elements.rows.at(k, j)].insert(iterations.rows.at(k, j));
        return true;
      });
    }
    const bool closed = proof.close();
    bool races = false;
    for (const auto& [word, by] : writers) {
      races = races || by.size() > 1;
      for (const std::int64_t i : readers[word]) races = races || by.count(i) == 0;
    }
    if (added && closed) {
      CHECK_FALSE(races);
      ++proven;
      folded += folds > 0 ? 1 : 0;
    }
    racing += races ? 1 : 0;
  }
  CHECK(proven > 2000);
  CHECK(folded > 200);
  CHECK(racing > 2000);
}

TEST_CASE("intervals of an executed block come in the order in which they were executed") {
  Numbers numbers(5);
  int kept_once = 0;
  for (int round = 0; round < 2000; ++round) {
    // Rounds of a few intervals, with others between them.
    std::vector<std::uint32_t> asked;
    for (std::int64_t part = numbers.pick(1, 4); part > 0; --part) {
      std::vector<std::uint32_t> of_round;
      for (std::int64_t k = numbers.pick(1, 9); k > 0; --k)
        of_round.push_back(static_cast<std::uint32_t>(numbers.pick(1, 2)));
      for (std::int64_t k = numbers.pick(1, 12); k > 0; --k)
        asked.insert(asked.end(), of_round.begin(), of_round.end());
      for (std::int64_t k = numbers.pick(0, 3); k > 0; --k)
        asked.push_back(static_cast<std::uint32_t>(numbers.pick(1, 3)));
    }
    fast::ExecutedBlock block;
    for (std::size_t k = 0; k < asked.size(); ++k) {
      fast::Interval& interval = block.open();
      interval.tiles.resize(1);
      interval.tiles[0].clear();
      interval.tiles[0].entries.push_back({fast::Ask::shared, false, false, asked[k]});
      interval.last = k + 1 == asked.size();
      block.close();
    }
    std::set<std::size_t> places;
    std::vector<std::uint32_t> read;
    for (;; block.advance()) {
      places.insert(block.place());
      read.push_back(block.present().tiles[0].entries[0].amount);
      if (block.present().last) break;
    }
    CHECK(read == asked);
    kept_once += places.size() < asked.size() ? 1 : 0;
  }
  CHECK(kept_once > 500);
}
