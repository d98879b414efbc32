// The search for layouts: what it says is best, against all layouts of small classes.
#include "support/catch.hpp"

#include "memlane/machine/bank_search.hpp"
#include "memlane/machine/stages.hpp"
#include "memlane/support/random.hpp"

#include <algorithm>
#include <functional>

namespace memlane {
namespace {

LaneIndices lanes(std::int64_t width, const std::function<std::int64_t(std::int64_t)>& element) {
  LaneIndices all;
  for (std::int64_t lane = 0; lane < width; ++lane) all.push_back(element(lane));
  return all;
}

std::int64_t sum_of(const LayoutSearch& search, const Placement& placement) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < search.requests.size(); k += search.parts) {
    std::int64_t of_access = 0;
    for (std::size_t part = k; part < k + search.parts; ++part) {
      std::vector<Address> addresses;
      for (const auto& element : search.requests[part].elements)
        if (element) addresses.push_back({placement.word(*element)});
      of_access += stages(search.unit, search.width, addresses);
    }
    if (of_access > 0) of_access = std::max(of_access, search.least_stages);
    sum += search.requests[k].weight * of_access;
  }
  return sum;
}

const SearchedClass& class_of(const SearchResult& result, const std::string& name) {
  for (const SearchedClass& one : result.classes)
    if (one.name == name) return one;
  FAIL("no class " << name);
  throw 0;
}

/// What the result says of its layouts is what they take.
void check_carried_out(const LayoutSearch& search, const SearchResult& result) {
  for (const SearchedClass& one : result.classes) {
    INFO(one.best.text());
    const Placement placement = one.best.place(search.elements, search.row_length);
    CHECK(problem_of(one.best.bits).empty() == (one.best.kind == LayoutKind::bits));
    CHECK(sum_of(search, placement) == one.sum);
    CHECK(placement.footprint - search.elements == one.spare);
    CHECK(one.sum >= result.least_sum);
    CHECK(one.sum >= result.classes[result.best].sum);
    std::vector<std::int64_t> words;
    for (std::int64_t i = 0; i < search.elements; ++i) words.push_back(placement.word(i));
    std::sort(words.begin(), words.end());
    CHECK(std::adjacent_find(words.begin(), words.end()) == words.end());
    CHECK(words.back() < placement.footprint);
  }
}

LayoutSearch tile(std::int64_t width, std::vector<SoughtRequest> requests) {
  LayoutSearch search;
  search.width = search.row_length = width;
  search.elements = width * width;
  search.requests = std::move(requests);
  return search;
}

} // namespace

TEST_CASE("rows and columns of a tile need no conflicts") {
  const auto row = lanes(32, [](std::int64_t lane) { return lane; });
  const auto column = lanes(32, [](std::int64_t lane) { return 32 * lane; });
  const LayoutSearch search = tile(32, {{row, 1}, {column, 3}});
  const SearchResult result = search_layouts(search);
  CHECK(result.least == std::vector<std::int64_t>{1, 1});
  CHECK(result.classes[0].sum == 1 + 3 * 32);
  CHECK(result.meets_least());
  CHECK(result.whole());
  CHECK(result.classes[result.best].best.text() == "swizzle(5, 0, 5)");
  CHECK(class_of(result, "padded(k)").best.text() == "padded(1)");
  CHECK(class_of(result, "bits(c, ...)").best.text() ==
        "bits(1, 2, 4, 8, 16, 33, 66, 132, 264, 528)");
  CHECK(class_of(result, "bits(c, ...)").best.cuda_text(32) == "i ^ ((i >> 5) & 31)");
  check_carried_out(search, result);
}

TEST_CASE("padding by a whole width is one of the paddings") {
  // The lanes read a row of 8 words: a shorter padding puts it into two address groups.
  LayoutSearch search = tile(8, {{lanes(32, [](std::int64_t lane) { return 8 + lane % 8; }), 1}});
  search.unit = UnitKind::unified;
  search.elements = 48;
  const SearchResult result = search_layouts(search);
  CHECK(class_of(result, "padded(k)").best.text() == "padded(8)");
  CHECK(class_of(result, "padded(k)").sum == 1);
  CHECK(class_of(result, "padded(k)").tried == 8);
  CHECK(result.classes[result.best].name == "rows");
}

TEST_CASE("a linear map serves rows, columns and blocks where no swizzle does") {
  const auto row = lanes(16, [](std::int64_t lane) { return lane; });
  const auto column = lanes(16, [](std::int64_t lane) { return 16 * lane; });
  const auto block = lanes(16, [](std::int64_t lane) { return lane / 4 * 16 + lane % 4; });
  const auto spread = lanes(16, [](std::int64_t lane) { return lane / 4 * 64 + lane % 4 * 4; });
  const LayoutSearch search = tile(16, {{row, 1}, {column, 1}, {block, 1}, {spread, 1}});
  const SearchResult result = search_layouts(search);
  CHECK(class_of(result, "bits(c, ...)").sum == 4);
  CHECK(class_of(result, "swizzle(B, M, S)").sum > 4);
  CHECK(class_of(result, "padded(k)").sum > 4);
  check_carried_out(search, result);
}

TEST_CASE("the best linear map is the best of all, found one by one") {
  std::uint64_t draw = 0;
  const auto next = [&](std::int64_t lo, std::int64_t hi) {
    return random_integer(8, 1, draw++, lo, hi);
  };
  std::vector<BitMap> maps; // all of four bits
  for (std::int64_t all = 0; all < 1 << 16; ++all) {
    BitMap map{{all & 15, all >> 4 & 15, all >> 8 & 15, all >> 12 & 15}};
    if (problem_of(map).empty()) maps.push_back(std::move(map));
  }
  CHECK(maps.size() == 20160);
  int above_least = 0;
  for (int round = 0; round < 40; ++round) {
    LayoutSearch search;
    search.unit = round < 12 || round >= 24 ? UnitKind::discrete : UnitKind::unified;
    search.least_stages = round < 24 ? 1 : next(2, 3);
    search.parts = round < 32 ? 1 : 2;
    search.width = round % 2 == 0 ? 4 : 8;
    search.elements = next(9, 16);
    search.row_length = next(1, 5);
    for (std::int64_t k = next(1, 5) * static_cast<std::int64_t>(search.parts); k > 0; --k) {
      LaneIndices elements;
      for (std::int64_t lane = 0; lane < search.width; ++lane)
        elements.push_back(next(0, 9) == 0 ? std::nullopt
                                           : std::optional(next(0, search.elements - 1)));
      const bool first = search.requests.size() % search.parts == 0;
      search.requests.push_back({elements, first ? next(1, 3) : search.requests.back().weight});
    }
    const SearchResult result = search_layouts(search);
    check_carried_out(search, result);
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    for (const BitMap& map : maps)
      best = std::min(best, sum_of(search, place_mapped(search.elements, 4, map)));
    REQUIRE(class_of(result, "bits(c, ...)").sum == best);
    above_least += best > result.least_sum ? 1 : 0;
  }
  CHECK(above_least > 2);
}

TEST_CASE("in address groups a layout serves rows or columns or a block of both") {
  const auto row = lanes(16, [](std::int64_t lane) { return lane; });
  const auto column = lanes(16, [](std::int64_t lane) { return 16 * lane; });
  const auto block = lanes(16, [](std::int64_t lane) { return lane / 4 * 16 + lane % 4; });
  LayoutSearch search = tile(16, {{column, 1}});
  search.unit = UnitKind::unified;
  SearchResult result = search_layouts(search);
  CHECK(result.classes[result.best].best.text() == "strides(1, 16)");
  CHECK(result.meets_least());
  check_carried_out(search, result);
  // A row and a column share one word: 16 words of a group hold a of a row and b of a column where
  // a * b is at most 16, so that they take 16 / a + 16 / b stages, of linear maps 4 + 4 at least.
  search.requests = {{row, 1}, {column, 1}, {block, 1}};
  result = search_layouts(search);
  CHECK(class_of(result, "rows").sum == 1 + 16 + 4);
  CHECK(class_of(result, "bits(c, ...)").stages == std::vector<std::int64_t>{4, 4, 1});
  CHECK(result.whole());
  check_carried_out(search, result);
}

TEST_CASE("three lines of two bits have no linear map without conflicts, but another layout") {
  // Lanes 0 and x for x = 1, 2, 3 in two banks: a map that keeps 0 from all three does not exist.
  LayoutSearch search = tile(2, {{{0, 1}, 1}, {{0, 2}, 1}, {{0, 3}, 1}});
  const SearchResult result = search_layouts(search);
  CHECK(class_of(result, "bits(c, ...)").sum == 4);
  CHECK(class_of(result, "bits(c, ...)").whole);
  check_carried_out(search, result);
}

TEST_CASE("a search among linear maps that ends early says so") {
  std::vector<SoughtRequest> requests;
  for (std::int64_t step = 1; step <= 40; ++step)
    requests.push_back(
        {lanes(32, [&](std::int64_t lane) { return (lane * step * 37 + step) % 1024; }), 1});
  LayoutSearch search = tile(32, std::move(requests));
  search.most_steps = 2000;
  for (const UnitKind unit : {UnitKind::discrete, UnitKind::unified}) {
    search.unit = unit;
    const SearchResult result = search_layouts(search);
    CHECK_FALSE(class_of(result, "bits(c, ...)").whole);
    CHECK_FALSE(result.whole());
    check_carried_out(search, result);
  }
}

TEST_CASE("odd requests: no lane, one word, one bank, a width that is no power of two") {
  const LaneIndices none(4), one(4, 3);
  LayoutSearch search = tile(4, {{none, 1}, {one, 1}});
  for (const UnitKind unit : {UnitKind::discrete, UnitKind::unified}) {
    search.unit = unit;
    const SearchResult result = search_layouts(search);
    CHECK(result.least == std::vector<std::int64_t>{0, 1});
    CHECK(result.classes[result.best].best.text() == "rows");
    check_carried_out(search, result);
  }
  for (const std::int64_t width : {1, 3, 12}) {
    const LayoutSearch other =
        tile(width, {{lanes(width, [&](std::int64_t lane) { return lane * width; }), 1}});
    check_carried_out(other, search_layouts(other));
  }
  LayoutSearch single = tile(8, {{LaneIndices(8, 0), 1}});
  single.elements = single.row_length = 1;
  check_carried_out(single, search_layouts(single));
  single.unit = UnitKind::unified;
  check_carried_out(single, search_layouts(single));
}

} // namespace memlane
