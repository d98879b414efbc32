#include "memlane/claim/grid_verdict.hpp"

#include "memlane/support/student.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace memlane {
namespace {

using lang::ClaimKind;
using Points = std::vector<const GridPoint*>;

void refute(GridJudgement& judgement, const GridPoint& point) {
  judgement.verdict = GridVerdict::fails;
  if (!judgement.counterexample ||
      is_smaller(point.parameters, judgement.counterexample->parameters))
    judgement.counterexample = point;
}

void judge_exact(GridJudgement& judgement, const PlaceName& place, const Points& points) {
  judgement.verdict = GridVerdict::holds;
  std::int64_t failures = 0;
  for (const GridPoint* point : points) {
    if (point->outcome.verdict == ClaimVerdict::holds) continue;
    ++failures;
    refute(judgement, *point);
  }
  if (failures == 0) return;
  const GridPoint& point = *judgement.counterexample;
  judgement.reason = fmt::format("fails at {} of {} points, first at {}: {} against {}", failures,
                                 points.size(), place(point.parameters, point.setting),
                                 point.outcome.left.text, point.outcome.right.text);
}

/// Whether the ratio at one point already exceeds every constant.
bool hopeless(ClaimKind kind, double ratio) {
  if (std::isnan(ratio) || ratio < 0) return true;
  if (kind != ClaimKind::omega && std::isinf(ratio)) return true;
  return kind != ClaimKind::big_o && ratio == 0;
}

std::string describe(const ParameterTrend& parameter, bool grows) {
  const Envelope& e = grows ? parameter.greatest : parameter.least;
  return fmt::format("the {0} ratio {1} with {2}: as {2}^{3:.2f}, over the upper half {2}^{4:.2f}",
                     grows ? "greatest" : "least", grows ? "grows" : "vanishes", parameter.name,
                     e.slope, e.tail);
}

/// Along which parameters the bound seems to fail on the grid; empty: along none.
std::string seems_to_fail(const GridJudgement& judgement) {
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  for (const ParameterTrend& parameter : judgement.trend->parameters) {
    if (judgement.kind != ClaimKind::omega && parameter.seems_to_grow())
      add(describe(parameter, true));
    if (judgement.kind != ClaimKind::big_o && parameter.seems_to_vanish())
      add(describe(parameter, false));
  }
  return text;
}

/// The sizes that the grid says nothing about; empty: none.
std::string unjudged(const Trend& trend, const std::vector<std::string>& sizes) {
  std::string text;
  for (const ParameterTrend& parameter : trend.parameters)
    if (!parameter.judged && std::find(sizes.begin(), sizes.end(), parameter.name) != sizes.end())
      text += fmt::format("{1}{0} takes {2} value{3} a factor of two apart, a trend needs {4}: "
                          "give more, --grid {0}=2,4,8,16",
                          parameter.name, text.empty() ? "" : "; ", parameter.groups,
                          parameter.groups == 1 ? "" : "s", least_groups);
  return text;
}

/// Why there are too few points to pass any bound; empty if there are enough.
std::string too_few_points(const Points& points, const std::string& more) {
  std::map<std::int64_t, Points> settings;
  for (const GridPoint* point : points) settings[point->setting].push_back(point);
  std::size_t most = 0, needed = 0;
  for (const auto& entry : settings) {
    const Points& own = entry.second;
    std::size_t varying = 0;
    for (std::size_t k = 0; k < own.front()->parameters.size(); ++k)
      varying += std::any_of(own.begin(), own.end(), [&](const GridPoint* point) {
        return point->parameters[k] != own.front()->parameters[k];
      });
    if (own.size() >= least_bound_points(varying)) return "";
    if (own.size() <= most) continue;
    most = own.size();
    needed = least_bound_points(varying);
  }
  return fmt::format("{} points on one kind of machine, a bound over that many parameters needs "
                     "{}: give {}, or more values in --grid",
                     most, needed, more);
}

/// `n doubles, p grows by 4`: what changes from one point of a ray to the next.
std::string steps_of(const Ray& ray, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (ray.powers[k] > 0)
      text += fmt::format("{}{}{}", text.empty() ? "" : ", ", names[k],
                          ray.powers[k] == 1 ? " doubles" : " grows by 4");
  return text;
}

/// The parameters that a ray would have one point further: `n=8192, p=64`.
std::string next_on(const Ray& ray, const std::vector<std::string>& names) {
  const GridValues next = moved(ray.points.back().parameters, ray.powers, 1);
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (ray.powers[k] > 0)
      text += fmt::format("{}{}={}", text.empty() ? "" : ", ", names[k], next[k]);
  return text;
}

/// `the ratio to the formula's leading terms grows as n doubles: 2.1 at n=16 on dmm, 5.3 at …`.
std::string describe(const Ray& ray, const std::vector<std::string>& names,
                     const PlaceName& place) {
  const auto at = [&](std::size_t k) {
    const double ratio = ray.greatest ? ray.ratios[k] : 1 / ray.ratios[k];
    const GridPoint& point = ray.points[k];
    return fmt::format("{:.4g} at {}", ratio, place(point.parameters, point.setting));
  };
  const std::size_t last = ray.points.size() - 1;
  return fmt::format("the ratio to the formula's leading terms {} as {}: {}, {}, {}",
                     ray.greatest ? "grows" : "vanishes", steps_of(ray, names), at(0), at(last / 2),
                     at(last));
}

/// What the rays say of a bound: one refutes it, or leaves a doubt, or none does.
void judge_rays(GridJudgement& judgement, const std::vector<std::string>& names,
                const PlaceName& place, const std::vector<Ray>& rays, const std::string& more) {
  for (const Ray& ray : rays) {
    if (ray.growth == Growth::settles) continue;
    judgement.rays.push_back(ray);
    if (ray.growth != Growth::grows) continue;
    judgement.rays = {ray};
    judgement.verdict = GridVerdict::fails;
    judgement.counterexample = ray.points.back();
    judgement.reason = describe(ray, names, place);
    return;
  }
  const std::string suspected = seems_to_fail(judgement);
  if (!judgement.rays.empty()) {
    const Ray& ray = judgement.rays.front();
    judgement.reason =
        describe(ray, names, place) +
        (ray.stops_at.empty()
             ? fmt::format("; {} would decide: give {}", next_on(ray, names), more)
             : fmt::format(
                   "; it grows no longer at {}, and an exact claim that bounds it would decide",
                   place(ray.stops_at, ray.points.back().setting)));
  } else if (!suspected.empty() && rays.empty()) {
    judgement.reason = suspected + ", and no larger runs are possible that would decide";
  }
}

/// Whether the bound holds whatever its constant is: no count, or Omega of nothing.
bool needs_no_constant(ClaimKind kind, const ClaimOutcome& outcome) {
  const bool no_count = outcome.left.value == 0, no_formula = outcome.right.value == 0;
  if (kind == ClaimKind::theta) return no_count && no_formula;
  return kind == ClaimKind::big_o ? no_count : no_formula;
}

void judge_trend(GridJudgement& judgement, const std::vector<std::string>& names,
                 const PlaceName& place, const Points& points,
                 const std::vector<std::string>& sizes, const std::vector<Ray>& rays,
                 const std::string& more) {
  if (std::all_of(points.begin(), points.end(), [&](const GridPoint* point) {
        return needs_no_constant(judgement.kind, point->outcome);
      })) {
    std::vector<TrendPoint> same; // such a bound needs as large a grid as any other
    for (const GridPoint* point : points) same.push_back({point->parameters, 1, point->setting});
    const Trend trend = find_trend(names, same);
    if (trend.judged) judgement.reason = unjudged(trend, sizes);
    if (judgement.reason.empty()) judgement.reason = too_few_points(points, more);
    judgement.verdict = judgement.reason.empty() ? GridVerdict::holds : GridVerdict::not_decided;
    return;
  }
  std::vector<TrendPoint> ratios;
  for (const GridPoint* point : points) {
    const ClaimOutcome& outcome = point->outcome;
    const bool nothing = outcome.left.value == 0 && outcome.right.value == 0;
    if (nothing) continue; // 0 = O(0) says nothing about a constant
    if (hopeless(judgement.kind, outcome.ratio)) refute(judgement, *point);
    ratios.push_back({point->parameters, outcome.ratio, point->setting});
  }
  judgement.trend = find_trend(names, ratios);
  if (judgement.counterexample) {
    const GridPoint& point = *judgement.counterexample;
    judgement.reason =
        fmt::format("the count is {} where the formula is {}, at {}", point.outcome.left.text,
                    point.outcome.right.text, place(point.parameters, point.setting));
    return;
  }
  judge_rays(judgement, names, place, rays, more);
  if (judgement.verdict == GridVerdict::fails) return;
  if (judgement.reason.empty())
    judgement.reason =
        judgement.trend->judged ? unjudged(*judgement.trend, sizes) : judgement.trend->reason;
  if (judgement.reason.empty()) judgement.reason = too_few_points(points, more);
  judgement.verdict = judgement.reason.empty() ? GridVerdict::holds : GridVerdict::not_decided;
}

/// Runs of one machine and layout with the same parameters.
using Spot = std::pair<GridValues, std::int64_t>;

Deviation deviation_of(const Spot& spot, const std::vector<double>& samples, std::size_t tests) {
  const auto count = static_cast<double>(samples.size());
  Deviation deviation;
  std::tie(deviation.parameters, deviation.setting) = spot;
  deviation.seeds = static_cast<std::int64_t>(samples.size());
  for (double sample : samples) deviation.mean += sample / count;
  const bool constant = std::all_of(samples.begin(), samples.end(),
                                    [&](double sample) { return sample == samples.front(); });
  const double alarm = false_alarm / static_cast<double>(tests);
  if (constant) {
    deviation.mean = samples.front();
    deviation.missed = 1 - std::pow(alarm, 1 / count);
    return deviation;
  }
  double squares = 0;
  for (double sample : samples) squares += (sample - deviation.mean) * (sample - deviation.mean);
  deviation.standard_error = std::sqrt(squares / (count - 1) / count);
  deviation.allowed =
      deviation.standard_error * student_quantile(1 - alarm / 2, deviation.seeds - 1);
  return deviation;
}

void judge_mean(GridJudgement& judgement, const PlaceName& place, const Points& points) {
  std::map<Spot, std::vector<double>> samples;
  std::map<Spot, std::set<std::uint64_t>> seeds;
  for (const GridPoint* point : points) {
    const Spot spot(point->parameters, point->setting);
    if (seeds[spot].insert(point->seed).second)
      samples[spot].push_back(point->outcome.left.value - point->outcome.right.value);
  }
  judgement.verdict = GridVerdict::holds;
  for (const auto& [spot, values] : samples) {
    const Deviation deviation = deviation_of(spot, values, samples.size());
    judgement.deviations.push_back(deviation);
    if (judgement.verdict != GridVerdict::holds) continue;
    if (deviation.seeds < least_seeds)
      judgement.reason =
          fmt::format("{} seed{} at {}: at least {} are needed", deviation.seeds,
                      deviation.seeds == 1 ? "" : "s", place(spot.first, spot.second), least_seeds);
    else if (deviation.is_open())
      judgement.reason = fmt::format(
          "at {} all {} seeds give the same count, {:.6g} {} the formula: an event that none of "
          "them saw may be the difference, and more show it, --seeds {}",
          place(spot.first, spot.second), deviation.seeds, std::abs(deviation.mean),
          deviation.mean > 0 ? "above" : "below", 8 * deviation.seeds);
    if (!judgement.reason.empty()) judgement.verdict = GridVerdict::not_decided;
  }
  for (const GridPoint* point : points)
    for (const Deviation& deviation : judgement.deviations)
      if (deviation.seeds >= least_seeds && deviation.parameters == point->parameters &&
          deviation.setting == point->setting && deviation.refutes())
        refute(judgement, *point);
  if (!judgement.counterexample) return;
  const auto worst = std::find_if(
      judgement.deviations.begin(), judgement.deviations.end(), [&](const Deviation& deviation) {
        return deviation.parameters == judgement.counterexample->parameters &&
               deviation.setting == judgement.counterexample->setting;
      });
  judgement.reason = fmt::format(
      "at {} the mean over {} seeds is off by {:.6g}, standard error {:.3g}, allowed {:.3g}",
      place(worst->parameters, worst->setting), worst->seeds, worst->mean, worst->standard_error,
      worst->allowed);
}

} // namespace

std::optional<double> constant_of(const std::vector<GridPoint>& exact,
                                  const std::vector<GridPoint>& bound) {
  std::optional<double> constant;
  for (std::size_t k = 0; k < bound.size(); ++k) {
    if (bound[k].outcome.verdict != ClaimVerdict::ratio_only) continue;
    const ClaimOutcome &own = exact[k].outcome, &of_bound = bound[k].outcome;
    if (own.verdict != ClaimVerdict::holds || own.left.value != of_bound.left.value)
      return std::nullopt;
    const double ratio = own.right.value / of_bound.right.value;
    if (!constant) constant = ratio;
    if (!(std::abs(ratio / *constant - 1) < 1e-9)) return std::nullopt;
  }
  return constant;
}

std::string place_text(const std::vector<std::string>& names, const GridValues& values) {
  std::string text;
  for (std::size_t k = 0; k < names.size() && k < values.size(); ++k)
    text += fmt::format("{}{}={}", k == 0 ? "" : ", ", names[k], values[k]);
  return text;
}

GridValues moved(GridValues values, const std::vector<int>& powers, std::size_t steps) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (powers[k] == 0) continue;
    const std::int64_t kept = stays_odd(values[k]) ? 1 : 0;
    values[k] = ((values[k] - kept) << static_cast<std::size_t>(powers[k]) * steps) + kept;
  }
  return values;
}

std::string_view name_of(GridVerdict verdict) {
  constexpr std::array<std::string_view, 5> names = {"holds", "fails", "never applicable",
                                                     "not evaluated", "not decided"};
  return names[static_cast<std::size_t>(verdict)];
}

GridJudgement judge_over_grid(ClaimKind kind, const std::vector<std::string>& names,
                              const std::vector<GridPoint>& points,
                              const std::vector<std::string>& sizes, const PlaceName& named,
                              const std::vector<Ray>& rays, const std::string& more) {
  const PlaceName place = named ? named : [&](const GridValues& values, std::int64_t) {
    return place_text(names, values);
  };
  GridJudgement judgement;
  judgement.kind = kind;
  Points applicable;
  const GridPoint* unevaluated = nullptr;
  for (const GridPoint& point : points) {
    if (point.outcome.verdict == ClaimVerdict::not_applicable)
      ++judgement.not_applicable;
    else if (point.outcome.verdict != ClaimVerdict::not_evaluated)
      applicable.push_back(&point);
    else if (!unevaluated || is_smaller(point.parameters, unevaluated->parameters))
      unevaluated = &point;
  }
  judgement.applicable = static_cast<std::int64_t>(applicable.size());
  if (applicable.empty() && !unevaluated) {
    judgement.verdict = GridVerdict::never_applicable;
    judgement.reason = "at no point of the grid";
    if (!points.empty()) judgement.reason += ": " + points.front().outcome.reason;
    return judgement;
  }
  if (is_exact(kind))
    judge_exact(judgement, place, applicable);
  else if (kind == ClaimKind::about)
    judge_mean(judgement, place, applicable);
  else
    judge_trend(judgement, names, place, applicable, sizes, rays, more);
  if (unevaluated && judgement.verdict != GridVerdict::fails) {
    judgement.verdict = GridVerdict::not_evaluated;
    judgement.reason =
        fmt::format("at {}: {}", place(unevaluated->parameters, unevaluated->setting),
                    unevaluated->outcome.reason);
  }
  return judgement;
}

} // namespace memlane
