// Work before and after runs polls the stop token: values, claims, and the choice of a grid.
#include "claim_fixture.hpp"

#include "memlane/claim/grid.hpp"
#include "memlane/lang/lower.hpp"

namespace memlane {
namespace {

constexpr std::int64_t rounds = 10'000;

/// A program with a fn that takes so many rounds.
std::string with_slow(const std::string& rest) {
  return "fn slow {\n  var s = 0\n  for i = 1 to " + std::to_string(rounds) +
         " { s = (s + i) % 7 }\n  return s\n}\n" + rest;
}

/// Limits that count polls, and stop the work at one of them.
struct CountedPolls {
  std::int64_t polls = 0, stops_at = INT64_MAX;
  Limits limits;

  CountedPolls() {
    limits.check = [this] { return ++polls >= stops_at ? Stop::interrupted : Stop::none; };
  }
  CountedPolls(const CountedPolls&) = delete;
  CountedPolls& operator=(const CountedPolls&) = delete;
};

} // namespace

TEST_CASE("values before a run poll the stop token at least once in 256 rounds") {
  for (const char* rest :
       {"const c = slow\nmemory a[c + 1]: int", "param n: int = slow\nmemory a[n + 1]: int",
        "param n: int = 1 where slow >= 0\nmemory a[n]: int"}) {
    ClaimFixture fixture(with_slow(rest));
    INFO(rest);
    CountedPolls counted;
    fixture.sources.set_limits(counted.limits);
    const lang::Bindings bindings;
    CHECK(lang::lower(*fixture.checked, bindings, fixture.sources));
    CHECK(counted.polls > rounds / 256);
    counted.stops_at = std::exchange(counted.polls, 0) / 2;
    const auto stopped = lang::lower(*fixture.checked, bindings, fixture.sources);
    REQUIRE(!stopped);
    CHECK(stop_of(stopped.errors()) == Stop::interrupted);
    CHECK(counted.polls < counted.stops_at + 5);
  }
}

TEST_CASE("wherever the translation of a program is stopped, it says that alone") {
  constexpr const char* around =
      "param n: int = 8\nparam m: int = 2 where m >= 1\nconst table[2]: int = [1, 2]\n"
      "type pair = (x: int, y: int)\n"
      "memory a[n]: int = index\nmemory b[n, n]: pair layout padded(m)\n"
      "proc add(x[_]: int) { x[0] += table[m - 1] }\nfn twice(i) { let j = i  return j + j }\n"
      "kernel k() {\n  forall i in 0..n {\n    let v = twice(i)\n    b[i, 0] = pair(v, 1)\n  "
      "}\n}\n";
  for (std::size_t shift = 0; shift < 64; ++shift) { // it asks once in 256 steps
    std::string body = "main {\n";
    for (std::size_t k = 0; k < shift; ++k) body += "  assert true\n";
    for (int k = 0; k < 16; ++k)
      body += "  launch k()\n  add(a[1 .. n])\n  if m > 1 { var x = 3  x = twice(x) }\n"
              "  assert b[0, 0].x == 2 * table[0] - 2 and (if n > 3 then a[1] else 4) > 0\n";
    Sources sources;
    auto parsed =
        lang::parse_text(sources, sources.add("a.lane", around + body + "}\nverify { }\n"));
    if (!parsed) FAIL(render(parsed.errors(), sources));
    const auto checked = lang::check(sources, std::move(*parsed), claim_counts());
    if (!checked) FAIL(render(checked.errors(), sources));
    CountedPolls counted;
    sources.set_limits(counted.limits);
    for (counted.stops_at = 1;; ++counted.stops_at) {
      counted.polls = 0;
      const auto lowered = lang::lower(*checked, {}, sources);
      if (lowered) break;
      REQUIRE(lowered.errors().size() == 1);
      CHECK(lowered.errors()[0].stop == Stop::interrupted);
    }
    CHECK(counted.stops_at > 4);
  }
}

TEST_CASE("a claim whose evaluation is stopped says so, and so do those behind it") {
  const ClaimFixture fixture(
      with_slow("kernel k() { }\nclaim time >= slow \"0\"\nclaim time >= slow \"1\""));
  CountedPolls counted;
  ClaimInputs inputs = fixture.inputs();
  inputs.limits = &counted.limits;
  const auto claims = [&] { return evaluate_claims(*fixture.checked, fixture.sources, inputs); };
  CHECK(stop_of(claims()) == Stop::none);
  CHECK(counted.polls > 2 * rounds / 256);
  counted.stops_at = std::exchange(counted.polls, 0) / 4;
  const std::vector<ClaimOutcome> stopped = claims();
  CHECK(stop_of(stopped) == Stop::interrupted);
  CHECK(stopped[0].verdict == ClaimVerdict::not_evaluated);
  CHECK(stopped[1].stop == Stop::interrupted);
  CHECK(counted.polls < counted.stops_at + 5);
}

TEST_CASE("the choice of a grid's points polls the stop token, and gives a part if it stops",
          "[release]") {
  GridValues many;
  for (std::int64_t k = 0; k < 120; ++k) many.push_back(k);
  // Whole, and so large that a part is drawn.
  for (const std::size_t axes : {std::size_t{2}, std::size_t{3}}) {
    const std::vector<GridAxis> grid(axes, fixed_axis("a", many));
    CountedPolls counted;
    Watch watch(counted.limits);
    CHECK(spread_grid({grid, &watch}, {}, {100, 1}, &watch).size() == 100);
    CHECK(counted.polls > 120 * 120 / 256);
    for (const int quarter : {0, 1, 2, 3}) {
      CountedPolls stopping;
      stopping.stops_at = 1 + counted.polls * quarter / 4;
      Watch stopped(stopping.limits);
      CHECK(spread_grid({grid, &stopped}, {}, {100, 1}, &stopped).size() <= 100);
      CHECK(stopped.stop() == Stop::interrupted);
      CHECK(stopping.polls == stopping.stops_at);
    }
  }
}

} // namespace memlane
