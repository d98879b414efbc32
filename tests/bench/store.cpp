// A result store of many points, for measurements of queries. usage: bench_store FILE POINTS
#include "memlane/store/store.hpp"

#include "memlane/support/sha256.hpp"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

using namespace memlane;
using namespace memlane::sweep;

constexpr int counts = 60; ///< columns of counts; a run has about as many

std::vector<StoreColumn> columns() {
  std::vector<StoreColumn> all = {{"program", "what ran", true},
                                  {"machine", "where", true},
                                  {"machine_global_latency", "its latency", true},
                                  {"seed", "of random numbers", false},
                                  {"time", "in time units", false}};
  for (int k = 0; k < counts; ++k) all.push_back({"count_" + std::to_string(k), "a count", false});
  return all;
}

/// 1000 sizes, 10 values of m, two programs, five latencies, and seeds.
StoredPoint point(std::int64_t number) {
  const std::int64_t n = number % 1000, m = number / 1000 % 10, seed = number / 10'000;
  StoredPoint point;
  point.sweep = "bench";
  point.key = sha256(std::to_string(number));
  point.key_parts = {{"program", "the text of a program, which many points share"},
                     {"parameters", "n=" + std::to_string(n) + ";m=" + std::to_string(m)},
                     {"seed", std::to_string(seed)}};
  point.parameters = {{"n", n}, {"m", m}};
  point.cells = {std::string(number % 3 == 0 ? "scan" : "sum"), std::string("hmm-titan"),
                 100 + number % 5, seed, number * 31 % 100'003};
  for (int k = 0; k < counts; ++k)
    point.cells.emplace_back(k % 3 == 0 ? std::int64_t{0} : number * k % 7919);
  point.json = "{\"time\":" + std::to_string(number * 31 % 100'003) + "}";
  point.seconds = 0.001;
  return point;
}

Status fill(Store& store, std::int64_t points) {
  constexpr std::int64_t commit = 10'000;
  for (std::int64_t first = 0; first < points; first += commit) {
    const Status added = store.in_one_commit([&]() -> Status {
      for (std::int64_t k = first; k < std::min(points, first + commit); ++k)
        if (Status one = store.add(point(k), PointStatus::done, false, ""); !one) return one;
      return Done{};
    });
    if (!added) return added;
  }
  return Done{};
}

} // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::cerr << "usage: bench_store FILE POINTS\n";
    return 2;
  }
  Result<Store> store = Store::open(words[1], columns());
  const Status filled = store ? fill(*store, std::atoll(words[2])) : Status(store.errors());
  if (filled) return 0;
  std::cerr << filled.errors().front().message << '\n';
  return 1;
}
