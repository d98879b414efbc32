// The memory that a request accesses as text, and that the page's picture says the same.
#include "chart/browser.hpp"
#include "support/catch.hpp"
#include "timeline/accessed.hpp"

#include "memlane/machine/stages.hpp"
#include "memlane/support/random.hpp"
#include "memlane/support/text.hpp"
#include "memlane/timeline/memory_text.hpp"
#include "memlane/timeline/page.hpp"
#include "memlane/timeline/report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace memlane::test {
namespace {

/// A program of three lines; requests are of the second.
struct Drawn {
  Sources sources;
  Timeline timeline;
  Drawn() { sources.add("a.lane", "first\nt[i]\nu[i]\n"); }

  std::string text(std::size_t columns = 80, std::optional<std::int32_t> line = {}) const {
    return memory_text(timeline, sources, line, columns);
  }
  nlohmann::ordered_json json() const {
    TimelineReport report;
    report.timeline = timeline;
    return timeline_json(report, sources);
  }
};

Timeline::Request request_of(std::vector<std::int64_t> addresses, std::int64_t stages) {
  Timeline::Request request;
  request.span = {0, 6, 10};
  request.addresses = std::move(addresses);
  request.stages = stages;
  request.last = stages - 1;
  request.completed = stages;
  return request;
}

Drawn drawn(std::int64_t width, UnitKind kind, std::vector<std::int64_t> addresses,
            std::int64_t stages) {
  Drawn all;
  all.timeline.to = 100;
  all.timeline.width = width;
  all.timeline.units.push_back({UnitId::shared, {}, kind});
  all.timeline.requests.push_back(request_of(std::move(addresses), stages));
  return all;
}

/// An array of the first unit.
Timeline::Array array_of(const std::string& name, std::int64_t first,
                         std::vector<std::int64_t> extents, std::int64_t words) {
  Timeline::Array array;
  array.name = name;
  array.first = first;
  array.words = words;
  array.extents = std::move(extents);
  return array;
}

/// Four lanes read a column of t[4, 4], whose rows have a spare word each.
Drawn padded_column() {
  Drawn all = drawn(4, UnitKind::discrete, {1, 6, 11, 16}, 1);
  all.timeline.arrays = {array_of("t", 0, {4, 4}, 20)};
  all.timeline.arrays[0].words_of = 0;
  all.timeline.placements.emplace_back();
  for (std::int64_t i = 0; i < 16; ++i) all.timeline.placements[0].push_back(i + i / 4);
  all.timeline.requests[0].array = 0;
  return all;
}

std::vector<std::int64_t> lanes_from(std::int64_t count, std::int64_t stride) {
  std::vector<std::int64_t> addresses;
  for (std::int64_t lane = 0; lane < count; ++lane) addresses.push_back(lane * stride);
  return addresses;
}

/// Requests of every kind that sentences tell apart.
std::vector<Drawn> many_drawn() {
  std::vector<Drawn> all;
  all.push_back(padded_column());
  all.push_back(drawn(4, UnitKind::discrete, {0, 4, 8, 1}, 3));
  all.push_back(drawn(4, UnitKind::unified, {0, 5, 8, 1}, 3));
  all.push_back(drawn(4, UnitKind::unified, {8, 9, 10, 11}, 1));
  all.push_back(drawn(4, UnitKind::discrete, {-1, 3, -1, -1}, 1));
  all.push_back(drawn(4, UnitKind::discrete, {3, 3, 3, 3}, 1));
  all.push_back(drawn(4, UnitKind::discrete, {3, 3, 3, 3}, 4)); // an atomic
  all.back().timeline.requests[0].write = true;
  all.push_back(drawn(4, UnitKind::discrete, {0, 2, 4, 6}, 2)); // lanes of two words
  all.back().timeline.requests[0].words_of_lane = 2;
  all.push_back(drawn(4, UnitKind::unified, {0, 2, 4, 7}, 4));
  all.back().timeline.units[0].group = 2;
  all.push_back(drawn(4, UnitKind::unified, {0, 2, 9, 7}, 3)); // an own port
  all.back().timeline.units[0].unit = UnitId::global;
  all.back().timeline.units[0].multiprocessor = 0;
  all.push_back(drawn(4, UnitKind::discrete, {0, 1, 2, 3}, 2)); // at least two stages
  all.push_back(drawn(2, UnitKind::discrete, {0, 1}, 1));
  all.back().timeline.requests[0].span = {};
  return all;
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

} // namespace

TEST_CASE("a picture of memory in text has banks, address groups, lanes and spare words") {
  CHECK(padded_column().text() ==
        R"(Line 2: 4 lanes of a warp read 4 words of t in 4 banks; one stage delivers all
of them.

bank    0   1   2   3
   0    ·   0   ·   ·
   1    /   ·   1   ·
   2    ·   /   ·   2
   3    ·   ·   /   ·
   4    3   ·   ·   /

3: lane 3 of the warp   ·: no lane   /: a spare word of the layout
row 1: words 4 to 7
)");
  Drawn conflict = drawn(4, UnitKind::discrete, {4, 28, 52, 1}, 3);
  conflict.timeline.arrays = {array_of("a", 0, {30}, 30), array_of("b", 52, {2}, 2)};
  CHECK(conflict.text() ==
        R"(Line 2: 4 lanes of a warp read 4 words in 2 banks; a bank delivers one word a
stage, so the request takes 3 stages instead of 1.

bank    0   1   2   3
   0    ·   3   ·   ·
   1    0   ·   ·   ·
   ⋮ 5 address groups without a lane
   7   *1   ·
   ⋮ 5 address groups without a lane
  13   *2   ·

3: lane 3 of the warp   *: in a further stage, a bank conflict   ·: no lane
blank: no array   row 1: words 4 to 7
)");
  CHECK(Drawn().text() == "No request is in this timeline.\n");
  Drawn lines = drawn(4, UnitKind::unified, {0, 4, 28, 29}, 3);
  lines.timeline.units[0].unit = UnitId::global;
  lines.timeline.units[0].multiprocessor = 1;
  const std::string text = lines.text();
  CHECK(text.find("read 4 words in 3 lines; a stage delivers one line,") != std::string::npos);
  CHECK(text.find("5 lines without a lane") != std::string::npos);
  CHECK(text.find("*: in a further stage, another line") != std::string::npos);
}

TEST_CASE("a picture of a wide memory has at most the terminal's columns") {
  const std::string wide = drawn(32, UnitKind::discrete, lanes_from(32, 33), 1).text();
  CHECK(widest_line(wide) <= 80);
  CHECK(wide.find("0 to 9, a to v: lanes 0 to 31") != std::string::npos);
  CHECK(wide.find("\nbank  0 1 2 3 4 5 6 7 8 9 0 1") != std::string::npos);
  for (const std::int64_t width : {1, 7, 16, 32, 33, 64, 128, 1024})
    for (const std::int64_t stride : {0, 1, 2, 33, 1024})
      for (const std::size_t columns : {20U, 40U, 80U, 200U}) {
        INFO(width << ' ' << stride << ' ' << columns);
        CHECK(widest_line(
                  drawn(width, UnitKind::discrete, lanes_from(width, stride), 1).text(columns)) <=
              std::max<std::size_t>(columns, 44));
      }
  const std::string banks = drawn(64, UnitKind::discrete, lanes_from(64, 32), 32).text(60);
  CHECK(banks.find("\nbank     0   32\n") != std::string::npos);
  CHECK(banks.find("banks without a lane are left out") != std::string::npos);
}

TEST_CASE("a picture is of the line that was asked for, else of the request with most stages") {
  Drawn all = drawn(4, UnitKind::discrete, {0, 1, 2, 3}, 1);
  all.timeline.requests.push_back(request_of({0, 4, 8, 12}, 4));
  all.timeline.requests.back().span = {0, 11, 15};
  CHECK(all.text().rfind("Line 3: ", 0) == 0);
  CHECK(all.text(80, 2).rfind("Line 2: ", 0) == 0);
  CHECK(all.text(80, 1).rfind("Line 3: ", 0) == 0);
}

TEST_CASE("the words of a request fill as many stages as the machine counts") {
  std::uint64_t drawn_numbers = 0;
  for (int round = 0; round < 500; ++round) {
    const auto pick = [&](std::int64_t most) {
      return random_integer(7, 0, drawn_numbers++, 0, most - 1);
    };
    const std::int64_t width = std::int64_t{1} << pick(6);
    const std::int64_t words = std::int64_t{1} << pick(3);
    std::vector<std::int64_t> addresses;
    for (std::int64_t lane = 0; lane < width; ++lane)
      addresses.push_back(pick(5) == 0 ? -1 : pick(4 * width) * words);
    const auto kind = pick(2) == 0 ? UnitKind::discrete : UnitKind::unified;
    Drawn all = drawn(width, kind, addresses, 1);
    all.timeline.requests[0].words_of_lane = words;
    const AccessedMemory memory = accessed_memory(all.timeline, all.timeline.requests[0]);
    CHECK(static_cast<std::int64_t>(memory.stages.size()) ==
          stages_of_lanes(kind, width, addresses, words));
  }
}

#ifdef MEMLANE_CHROMIUM
TEST_CASE("the page's picture of memory says what the text says", "[release]") {
  std::string page = "<!DOCTYPE html>\n<html><head>" + timeline_style_element() + "</head><body>";
  const std::vector<Drawn> all = many_drawn();
  for (std::size_t i = 0; i < all.size(); ++i)
    page += memory_element(fmt::format("m{}", i), all[i].json(), "");
  page += timeline_script_element() + "</body></html>";
  const auto told = told_in_browser(page, R"js(
    document.body.dataset.told = JSON.stringify([...document.querySelectorAll(".memlane-memory")].map((host) => ({
      says: host.querySelector(".mt-says").textContent,
      cells: [...host.querySelectorAll("td")].map((cell) => [cell.className, [...cell.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join("")]),
      indices: [...host.querySelectorAll("td")].map((cell) => cell.querySelector("small")?.textContent ?? null) })));
  )js",
                                    "1280,900");
  REQUIRE(told.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string text = all[i].text(10'000);
    CHECK(told[i].at("says") == text.substr(0, text.find('\n')));
    const AccessedMemory memory =
        accessed_memory(all[i].timeline, all[i].timeline.requests.front());
    std::size_t extra = 0, with_lane = 0;
    for (const auto& cell : told[i].at("cells")) {
      extra += cell[0] == "mt-extra" ? 1 : 0;
      with_lane += cell[1] != "" ? 1 : 0;
    }
    CHECK(with_lane == memory.words.size());
    CHECK(extra == static_cast<std::size_t>(
                       std::count_if(memory.words.begin(), memory.words.end(),
                                     [](const auto& word) { return word.second.stage > 0; })));
  }
  const auto& padded = told[0];
  CHECK(padded.at("indices").at(0) == "0, 0");
  CHECK(padded.at("indices").at(5) == "1, 0");
  CHECK(padded.at("indices").at(4) == nullptr);
  CHECK(padded.at("cells").at(4).at(0) == "mt-spare");
  CHECK(padded.at("cells").at(5).at(1) == "");
}
#endif

} // namespace memlane::test
