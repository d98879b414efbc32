#include "support/catch.hpp"
#include "whole.hpp"

#include "memlane/claim/grid_verdict.hpp"
#include "memlane/support/random.hpp"

#include <cmath>

using namespace memlane;
using lang::ClaimKind;

namespace {

GridPoint point(double n, double left, double right, ClaimVerdict verdict, std::uint64_t seed = 1) {
  GridPoint result;
  result.parameters = whole({n});
  result.seed = seed;
  result.outcome.verdict = verdict;
  result.outcome.left = {std::to_string(static_cast<int>(left)), left};
  result.outcome.right = {std::to_string(static_cast<int>(right)), right};
  result.outcome.ratio = left / right;
  result.outcome.reason = "because";
  return result;
}

GridJudgement judge(ClaimKind kind, const std::vector<GridPoint>& points) {
  return judge_over_grid(kind, {"n"}, points);
}

std::vector<GridPoint> powers(double exponent) {
  std::vector<GridPoint> points;
  for (double n = 16; n <= 4096; n *= 2)
    points.push_back(point(n, std::pow(n, exponent), 1, ClaimVerdict::ratio_only));
  return points;
}

/// Runs beyond the grid whose ratios are n^exponent.
std::vector<Ray> ray(double exponent, bool greatest = true) {
  Ray along{greatest, {1}, {}};
  for (double n = 16; n <= 4096; n *= 2) {
    along.points.push_back(point(n, std::pow(n, exponent), 1, ClaimVerdict::ratio_only));
    along.ratios.push_back(std::pow(n, greatest ? exponent : -exponent));
  }
  along.growth = growth_of(along.ratios);
  return {along};
}

GridJudgement judge(ClaimKind kind, const std::vector<GridPoint>& points,
                    const std::vector<Ray>& rays) {
  return judge_over_grid(kind, {"n"}, points, {}, {}, rays);
}

} // namespace

TEST_CASE("an exact claim holds everywhere or names its smallest counterexample") {
  std::vector<GridPoint> points{point(64, 5, 5, ClaimVerdict::holds),
                                point(32, 7, 8, ClaimVerdict::not_applicable)};
  CHECK(judge(ClaimKind::equal, points).passed());
  CHECK(judge(ClaimKind::equal, points).not_applicable == 1);
  points.push_back(point(256, 7, 8, ClaimVerdict::fails));
  points.push_back(point(16, 3, 4, ClaimVerdict::fails));
  const GridJudgement judgement = judge(ClaimKind::equal, points);
  CHECK(!judgement.passed());
  CHECK(judgement.counterexample->parameters == GridValues{16});
  CHECK(judgement.reason == "fails at 2 of 3 points, first at n=16: 3 against 4");
}

TEST_CASE("no count is O of anything, and every count Omega of nothing") {
  const auto all = [](double left, double right) {
    std::vector<GridPoint> points;
    for (double n = 16; n <= 4096; n *= 2)
      points.push_back(point(n, left, right, ClaimVerdict::ratio_only));
    return points;
  };
  CHECK(judge(ClaimKind::big_o, all(0, 1)).passed());
  CHECK(judge(ClaimKind::omega, all(5, 0)).passed());
  CHECK(judge(ClaimKind::theta, all(0, 0)).passed());
  CHECK(judge(ClaimKind::big_o, all(5, 0)).verdict == GridVerdict::fails);
  CHECK(judge(ClaimKind::omega, all(0, 1)).verdict == GridVerdict::fails);
  CHECK(judge(ClaimKind::theta, all(0, 1)).verdict == GridVerdict::fails);
  std::vector<GridPoint> few = all(0, 1);
  few.resize(5);
  CHECK(judge(ClaimKind::big_o, few).verdict == GridVerdict::not_decided);
  CHECK(judge(ClaimKind::big_o, few).reason.find("5 points on one kind of machine") == 0);
  std::vector<GridPoint> one_size = all(0, 1);
  for (GridPoint& p : one_size) p.parameters = whole({16, static_cast<double>(p.parameters[0])});
  const GridJudgement narrow = judge_over_grid(ClaimKind::big_o, {"n", "l"}, one_size, {"n"});
  CHECK(narrow.verdict == GridVerdict::not_decided);
  CHECK(narrow.reason.find("n takes 1 value a factor of two apart, a trend needs 4") == 0);
  std::vector<GridPoint> one_more = all(0, 1);
  one_more.push_back(point(8192, 1, 1, ClaimVerdict::ratio_only));
  CHECK_FALSE(judge(ClaimKind::big_o, one_more).passed());
}

TEST_CASE("what is never applicable or not evaluated never passes") {
  const auto never = judge(ClaimKind::equal, {point(1, 1, 1, ClaimVerdict::not_applicable)});
  CHECK(never.verdict == GridVerdict::never_applicable);
  CHECK(never.reason == "at no point of the grid: because");
  CHECK(judge(ClaimKind::big_o, {}).verdict == GridVerdict::never_applicable);
  const auto unknown = judge(ClaimKind::equal, {point(8, 1, 1, ClaimVerdict::holds),
                                                point(4, 1, 1, ClaimVerdict::not_evaluated)});
  CHECK(unknown.verdict == GridVerdict::not_evaluated);
  CHECK(unknown.reason == "at n=4: because");
}

TEST_CASE("O, Omega and Theta fail on their own side") {
  CHECK(judge(ClaimKind::big_o, powers(0)).passed());
  CHECK(judge(ClaimKind::theta, powers(0)).passed());
  CHECK(judge(ClaimKind::big_o, powers(-1)).passed());
  CHECK(judge(ClaimKind::omega, powers(1)).passed());
  const GridJudgement grown = judge(ClaimKind::big_o, powers(1), ray(1));
  CHECK(grown.verdict == GridVerdict::fails);
  CHECK(grown.reason == "the ratio to the formula's leading terms grows as n doubles: "
                        "16 at n=16, 256 at n=256, 4096 at n=4096");
  CHECK(grown.counterexample->parameters == GridValues{4096});
  CHECK(judge(ClaimKind::omega, powers(-0.5), ray(-0.5, false)).reason ==
        "the ratio to the formula's leading terms vanishes as n doubles: "
        "0.25 at n=16, 0.0625 at n=256, 0.01562 at n=4096");
  CHECK(judge(ClaimKind::theta, powers(1), ray(1)).verdict == GridVerdict::fails);
  CHECK(judge(ClaimKind::theta, powers(-1), ray(-1, false)).verdict == GridVerdict::fails);
  auto few = powers(0);
  few.resize(5);
  CHECK(judge(ClaimKind::big_o, few).verdict == GridVerdict::not_decided);
  CHECK(judge(ClaimKind::big_o, few).reason == "5 points with a ratio above 0: a trend needs 8");
}

TEST_CASE("a size with too few values to be judged leaves a bound undecided") {
  std::vector<GridPoint> points;
  for (double n = 16; n <= 16384; n *= 2)
    for (const double w : {4, 8}) {
      points.push_back(point(n, 1, 1, ClaimVerdict::ratio_only));
      points.back().parameters.push_back(static_cast<std::int64_t>(w));
    }
  const auto judged = [&](const std::vector<std::string>& sizes) {
    return judge_over_grid(ClaimKind::big_o, {"n", "w"}, points, sizes);
  };
  CHECK(judged({}).passed());
  CHECK(judged({"n"}).passed());
  CHECK(judged({"w"}).verdict == GridVerdict::not_decided);
  CHECK(judged({"w"}).reason ==
        "w takes 2 values a factor of two apart, a trend needs 4: give more, --grid w=2,4,8,16");
}

TEST_CASE("ratios of zero and infinity") {
  auto points = powers(0);
  points.push_back(point(8192, 0, 1, ClaimVerdict::ratio_only));
  CHECK(judge(ClaimKind::big_o, points).passed());
  CHECK(!judge(ClaimKind::omega, points).passed());
  points.back() = point(8192, 3, 0, ClaimVerdict::ratio_only);
  CHECK(judge(ClaimKind::omega, points).passed());
  CHECK(judge(ClaimKind::big_o, points).reason ==
        "the count is 3 where the formula is 0, at n=8192");
  points.back() = point(8192, 3, -1, ClaimVerdict::ratio_only);
  CHECK(!judge(ClaimKind::omega, points).passed());
  points.back() = point(8192, 0, 0, ClaimVerdict::ratio_only);
  CHECK(judge(ClaimKind::theta, points).passed());
}

TEST_CASE("a mean is judged by its own standard error") {
  const auto sample = [](double offset, std::uint64_t run, int seeds) {
    std::vector<GridPoint> points;
    for (int s = 0; s < seeds; ++s) {
      const auto counter = run * 100 + static_cast<std::uint64_t>(s);
      points.push_back(point(16, 50 + offset + random_real(3, 0, counter, -1, 1), 50,
                             ClaimVerdict::ratio_only, static_cast<std::uint64_t>(s)));
    }
    return judge(ClaimKind::about, points);
  };
  int alarms = 0;
  int missed = 0;
  for (std::uint64_t run = 0; run < 1000; ++run) {
    alarms += sample(0, run, 8).passed() ? 0 : 1;
    missed += sample(2, run, 8).passed() ? 1 : 0;
  }
  CHECK(alarms <= 8); // one in a thousand is due; uniform samples of 8 are a little off Student's
  CHECK(missed <= 10);
  CHECK(sample(0, 1, 7).verdict == GridVerdict::not_decided);

  std::vector<GridPoint> constant;
  for (std::uint64_t s = 0; s < 8; ++s)
    constant.push_back(point(16, 5, 5, ClaimVerdict::ratio_only, s));
  CHECK(judge(ClaimKind::about, constant).passed());
  // An event of half of all runs may be missed by eight seeds; but it changes a count by 1.
  for (GridPoint& p : constant) p.outcome.right.value = 5.3;
  const GridJudgement open = judge(ClaimKind::about, constant);
  CHECK(open.verdict == GridVerdict::not_decided);
  CHECK(open.reason == "at n=16 all 8 seeds give the same count, 0.3 below the formula: an event "
                       "that none of them saw may be the difference, and more show it, --seeds 64");
  for (GridPoint& p : constant) p.outcome.right.value = 4.3;
  CHECK(judge(ClaimKind::about, constant).verdict == GridVerdict::fails);
  for (GridPoint& p : constant) p.seed = 1; // one seed eight times is one sample
  CHECK(judge(ClaimKind::about, constant).verdict == GridVerdict::not_decided);
}

TEST_CASE("seeds on another machine are other samples") {
  std::vector<GridPoint> points;
  for (std::uint64_t s = 0; s < 8; ++s) {
    points.push_back(point(16, 5, 5, ClaimVerdict::ratio_only, s));
    points.push_back(point(16, 6, 5, ClaimVerdict::ratio_only, s));
    points.back().setting = 2;
  }
  const GridJudgement judgement = judge(ClaimKind::about, points);
  CHECK(judgement.verdict == GridVerdict::fails);
  CHECK(judgement.deviations.size() == 2);
  CHECK(judgement.counterexample->setting == 2);
}

TEST_CASE("few points leave a bound undecided that they do not refute") {
  std::vector<GridPoint> points;
  for (double n = 16; n <= 4096; n *= 2)
    for (const double w : {4, 8}) {
      points.push_back(point(n, 1, 1, ClaimVerdict::ratio_only));
      points.back().parameters.push_back(static_cast<std::int64_t>(w));
    }
  const GridJudgement few = judge_over_grid(ClaimKind::theta, {"n", "w"}, points);
  CHECK(few.verdict == GridVerdict::not_decided);
  CHECK(few.reason == "18 points on one kind of machine, a bound over that many parameters needs "
                      "20: give more points, or more values in --grid");
  // Points of two kinds of machine do not add up.
  std::vector<GridPoint> two = points;
  for (GridPoint p : points) {
    p.setting = 2;
    two.push_back(p);
  }
  CHECK(judge_over_grid(ClaimKind::theta, {"n", "w"}, two).verdict == GridVerdict::not_decided);
}

TEST_CASE("a ratio that grows over the grid refutes nothing before larger runs do") {
  const GridJudgement alone = judge(ClaimKind::big_o, powers(1));
  CHECK(alone.verdict == GridVerdict::not_decided);
  CHECK(alone.reason == "the greatest ratio grows with n: as n^1.00, over the upper half n^1.00, "
                        "and no larger runs are possible that would decide");
  CHECK(!alone.counterexample);
  CHECK(judge(ClaimKind::big_o, powers(1), ray(0)).passed()); // it settles beyond
  std::vector<Ray> unclear = ray(1);
  unclear[0].growth = Growth::unclear;
  const GridJudgement open = judge(ClaimKind::big_o, powers(0), unclear);
  CHECK(open.verdict == GridVerdict::not_decided);
  CHECK(open.reason.find("; n=8192 would decide: give more points") != std::string::npos);
}

TEST_CASE("an exact claim with a bound's formula gives its constant") {
  const auto exact = [](double factor, ClaimVerdict verdict) {
    std::vector<GridPoint> points;
    for (double n = 16; n <= 256; n *= 2) points.push_back(point(n, 10 * n, factor * n, verdict));
    return points;
  };
  const std::vector<GridPoint> bound = exact(1, ClaimVerdict::ratio_only);
  CHECK(constant_of(exact(12, ClaimVerdict::holds), bound) == 12.0);
  CHECK(!constant_of(exact(12, ClaimVerdict::fails), bound));
  CHECK(!constant_of(exact(12, ClaimVerdict::not_applicable), bound));
  auto other = exact(12, ClaimVerdict::holds);
  other.back().outcome.right.value += 1; // another formula
  CHECK(!constant_of(other, bound));
}

TEST_CASE("a counterexample is named with its machine") {
  const PlaceName place = [](const GridValues& values, std::int64_t setting) {
    return place_text({"n"}, values) + (setting == 2 ? " on umm" : " on dmm");
  };
  std::vector<GridPoint> points{point(64, 5, 6, ClaimVerdict::fails)};
  points.back().setting = 2;
  CHECK(judge_over_grid(ClaimKind::equal, {"n"}, points, {}, place).reason ==
        "fails at 1 of 1 points, first at n=64 on umm: 5 against 6");
  auto growing = powers(1);
  for (GridPoint& p : growing) p.setting = 2;
  std::vector<Ray> rays = ray(1);
  for (GridPoint& p : rays[0].points) p.setting = 2;
  const GridJudgement bound = judge_over_grid(ClaimKind::big_o, {"n"}, growing, {}, place, rays);
  CHECK(bound.counterexample->setting == 2);
  CHECK(bound.reason.find("16 at n=16 on umm") != std::string::npos);
  CHECK(bound.trend->greatest_setting == 2);
}
