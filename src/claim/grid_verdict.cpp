#include "memlane/claim/grid_verdict.hpp"

#include "student.hpp"

#include <fmt/format.h>

#include <algorithm>
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

/// Why the points do not rule out a trend; empty if they do.
std::string doubt(const GridJudgement& judgement, const std::vector<std::string>& sizes) {
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  for (const ParameterTrend& parameter : judgement.trend->parameters) {
    if (judgement.kind != ClaimKind::omega && parameter.may_grow())
      add(describe(parameter, true) + ", but with too much scatter to be sure: give more --points");
    if (judgement.kind != ClaimKind::big_o && parameter.may_vanish())
      add(describe(parameter, false) +
          ", but with too much scatter to be sure: give more --points");
    if (!parameter.judged && std::find(sizes.begin(), sizes.end(), parameter.name) != sizes.end())
      add(fmt::format("{0} takes {1} value{2} a factor of two apart, a trend needs {3}: give more, "
                      "--grid {0}=16,32,64,128",
                      parameter.name, parameter.groups, parameter.groups == 1 ? "" : "s",
                      least_groups));
  }
  return text;
}

/// Why there are too few points to pass any bound; empty if there are enough.
std::string too_few_points(const Points& points) {
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
                     "{}: give more --points, or more values in --grid",
                     most, needed);
}

/// Shows the extreme point of a trend as the counterexample.
void show_extreme(GridJudgement& judgement, const Points& points, bool greatest) {
  for (const GridPoint* point : points) {
    const double ratio = point->outcome.ratio;
    const bool better =
        !judgement.counterexample || (greatest ? ratio > judgement.counterexample->outcome.ratio
                                               : ratio < judgement.counterexample->outcome.ratio);
    if (!std::isnan(ratio) && better) judgement.counterexample = *point;
  }
}

/// The trends that refute the claim: of few points only the steep ones. Others are doubts.
void judge_slopes(GridJudgement& judgement, const Points& points, bool few) {
  const auto note = [&](const ParameterTrend& parameter, bool grows, bool steep) {
    const bool sure = steep || !few;
    if (sure && judgement.verdict != GridVerdict::fails) {
      show_extreme(judgement, points, grows);
      judgement.verdict = GridVerdict::fails;
      judgement.reason.clear();
    }
    if (!sure && judgement.verdict == GridVerdict::fails) return;
    if (!sure) judgement.verdict = GridVerdict::not_decided;
    judgement.reason += (judgement.reason.empty() ? "" : "; ") + describe(parameter, grows);
    if (!sure)
      judgement.reason += fmt::format(", but so few points are sure only of {}^{} and more: give "
                                      "more --points",
                                      parameter.name, grows ? steep_slope : -steep_slope);
  };
  for (const ParameterTrend& parameter : judgement.trend->parameters) {
    if (judgement.kind != ClaimKind::omega && parameter.grows())
      note(parameter, true, parameter.grows_steeply());
    if (judgement.kind != ClaimKind::big_o && parameter.vanishes())
      note(parameter, false, parameter.vanishes_steeply());
  }
}

void judge_trend(GridJudgement& judgement, const std::vector<std::string>& names,
                 const PlaceName& place, const Points& points,
                 const std::vector<std::string>& sizes, GridSize size) {
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
  judgement.verdict = GridVerdict::holds;
  const std::string too_few = too_few_points(points);
  judge_slopes(judgement, points, size == GridSize::small || !too_few.empty());
  if (judgement.verdict != GridVerdict::holds) return;
  judgement.reason = judgement.trend->judged ? doubt(judgement, sizes) : judgement.trend->reason;
  if (judgement.reason.empty()) judgement.reason = too_few;
  if (!judgement.reason.empty()) judgement.verdict = GridVerdict::not_decided;
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
  if (constant) {
    deviation.mean = samples.front();
    return deviation;
  }
  double squares = 0;
  for (double sample : samples) squares += (sample - deviation.mean) * (sample - deviation.mean);
  deviation.standard_error = std::sqrt(squares / (count - 1) / count);
  const double level = 1 - false_alarm / 2 / static_cast<double>(tests);
  deviation.allowed =
      deviation.standard_error * claims::student_quantile(level, deviation.seeds - 1);
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
    if (deviation.seeds < least_seeds && judgement.verdict == GridVerdict::holds) {
      judgement.verdict = GridVerdict::not_decided;
      judgement.reason =
          fmt::format("{} seed{} at {}: at least {} are needed", deviation.seeds,
                      deviation.seeds == 1 ? "" : "s", place(spot.first, spot.second), least_seeds);
    }
  }
  for (const GridPoint* point : points)
    for (const Deviation& deviation : judgement.deviations)
      if (deviation.seeds >= least_seeds && deviation.parameters == point->parameters &&
          deviation.setting == point->setting && !(std::abs(deviation.mean) <= deviation.allowed))
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

std::string place_text(const std::vector<std::string>& names, const GridValues& values) {
  std::string text;
  for (std::size_t k = 0; k < names.size() && k < values.size(); ++k)
    text += fmt::format("{}{}={}", k == 0 ? "" : ", ", names[k], values[k]);
  return text;
}

std::string_view name_of(GridVerdict verdict) {
  switch (verdict) {
  case GridVerdict::holds: return "holds";
  case GridVerdict::fails: return "fails";
  case GridVerdict::never_applicable: return "never applicable";
  case GridVerdict::not_evaluated: return "not evaluated";
  case GridVerdict::not_decided: return "not decided";
  }
  return "";
}

GridJudgement judge_over_grid(ClaimKind kind, const std::vector<std::string>& names,
                              const std::vector<GridPoint>& points,
                              const std::vector<std::string>& sizes, const PlaceName& named,
                              GridSize size) {
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
    judge_trend(judgement, names, place, applicable, sizes, size);
  if (unevaluated && judgement.verdict != GridVerdict::fails) {
    judgement.verdict = GridVerdict::not_evaluated;
    judgement.reason =
        fmt::format("at {}: {}", place(unevaluated->parameters, unevaluated->setting),
                    unevaluated->outcome.reason);
  }
  return judgement;
}

} // namespace memlane
