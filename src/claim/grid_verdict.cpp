#include "memlane/claim/grid_verdict.hpp"

#include "student.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace memlane {
namespace {

using lang::ClaimKind;
using Points = std::vector<const GridPoint*>;

/// `n=16, p=8`
/// Small points first: by the product of the parameters, then one by one.
bool smaller(const std::vector<double>& a, const std::vector<double>& b) {
  const auto size = [](const std::vector<double>& values) {
    double sum = 0;
    for (double value : values) sum += std::log2(1 + std::abs(value));
    return sum;
  };
  const double left = size(a);
  const double right = size(b);
  return left != right ? left < right : a < b;
}

void refute(GridJudgement& judgement, const GridPoint& point) {
  judgement.verdict = GridVerdict::fails;
  if (!judgement.counterexample || smaller(point.parameters, judgement.counterexample->parameters))
    judgement.counterexample = point;
}

void judge_exact(GridJudgement& judgement, const std::vector<std::string>& names,
                 const Points& points) {
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
                                 points.size(), place_text(names, point.parameters),
                                 point.outcome.left.text, point.outcome.right.text);
}

/// A ratio that no constant bounds, at one point already.
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

/// Why a trend that was not found is not ruled out either; empty if it is.
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

void judge_trend(GridJudgement& judgement, const std::vector<std::string>& names,
                 const Points& points, const std::vector<std::string>& sizes) {
  std::vector<TrendPoint> ratios;
  for (const GridPoint* point : points) {
    const ClaimOutcome& outcome = point->outcome;
    const bool nothing = outcome.left.value == 0 && outcome.right.value == 0;
    if (nothing) continue; // 0 = O(0): it says nothing about a constant
    if (hopeless(judgement.kind, outcome.ratio)) refute(judgement, *point);
    ratios.push_back({point->parameters, outcome.ratio, point->setting});
  }
  judgement.trend = find_trend(names, ratios);
  if (judgement.counterexample) {
    const GridPoint& point = *judgement.counterexample;
    judgement.reason =
        fmt::format("the count is {} where the formula is {}, at {}", point.outcome.left.text,
                    point.outcome.right.text, place_text(names, point.parameters));
    return;
  }
  judgement.verdict = GridVerdict::holds;
  const auto refute_by = [&](const ParameterTrend& parameter, bool grows) {
    judgement.verdict = GridVerdict::fails;
    judgement.reason += (judgement.reason.empty() ? "" : "; ") + describe(parameter, grows);
  };
  for (const ParameterTrend& parameter : judgement.trend->parameters) {
    if (judgement.kind != ClaimKind::omega && parameter.grows()) refute_by(parameter, true);
    if (judgement.kind != ClaimKind::big_o && parameter.vanishes()) refute_by(parameter, false);
  }
  if (judgement.verdict == GridVerdict::fails) return;
  if (!judgement.trend->judged) {
    judgement.verdict = GridVerdict::not_enough_points;
    judgement.reason = judgement.trend->reason;
    return;
  }
  judgement.reason = doubt(judgement, sizes);
  if (!judgement.reason.empty()) judgement.verdict = GridVerdict::not_decided;
}

Deviation deviation_of(const std::vector<double>& parameters, const std::vector<double>& samples,
                       std::size_t tests) {
  const auto count = static_cast<double>(samples.size());
  Deviation deviation;
  deviation.parameters = parameters;
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

void judge_mean(GridJudgement& judgement, const std::vector<std::string>& names,
                const Points& points) {
  std::map<std::vector<double>, std::vector<double>> samples;
  std::map<std::vector<double>, std::set<std::uint64_t>> seeds;
  for (const GridPoint* point : points)
    if (seeds[point->parameters].insert(point->seed).second)
      samples[point->parameters].push_back(point->outcome.left.value - point->outcome.right.value);
  judgement.verdict = GridVerdict::holds;
  for (const auto& [parameters, values] : samples) {
    const Deviation deviation = deviation_of(parameters, values, samples.size());
    judgement.deviations.push_back(deviation);
    if (deviation.seeds < least_seeds && judgement.verdict == GridVerdict::holds) {
      judgement.verdict = GridVerdict::not_enough_points;
      judgement.reason =
          fmt::format("{} seed{} at {}: at least {} are needed", deviation.seeds,
                      deviation.seeds == 1 ? "" : "s", place_text(names, parameters), least_seeds);
    }
  }
  for (const GridPoint* point : points)
    for (const Deviation& deviation : judgement.deviations)
      if (deviation.seeds >= least_seeds && deviation.parameters == point->parameters &&
          !(std::abs(deviation.mean) <= deviation.allowed))
        refute(judgement, *point);
  if (!judgement.counterexample) return;
  const auto worst = std::find_if(
      judgement.deviations.begin(), judgement.deviations.end(), [&](const Deviation& deviation) {
        return deviation.parameters == judgement.counterexample->parameters;
      });
  judgement.reason = fmt::format(
      "at {} the mean over {} seeds is off by {:.6g}, standard error {:.3g}, allowed {:.3g}",
      place_text(names, worst->parameters), worst->seeds, worst->mean, worst->standard_error,
      worst->allowed);
}

} // namespace

std::string place_text(const std::vector<std::string>& names, const std::vector<double>& values) {
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
  case GridVerdict::not_enough_points: return "not enough points";
  case GridVerdict::not_decided: return "not decided";
  }
  return "";
}

GridJudgement judge_over_grid(ClaimKind kind, const std::vector<std::string>& names,
                              const std::vector<GridPoint>& points,
                              const std::vector<std::string>& sizes) {
  GridJudgement judgement;
  judgement.kind = kind;
  Points applicable;
  const GridPoint* unevaluated = nullptr;
  for (const GridPoint& point : points) {
    if (point.outcome.verdict == ClaimVerdict::not_applicable)
      ++judgement.not_applicable;
    else if (point.outcome.verdict != ClaimVerdict::not_evaluated)
      applicable.push_back(&point);
    else if (!unevaluated || smaller(point.parameters, unevaluated->parameters))
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
    judge_exact(judgement, names, applicable);
  else if (kind == ClaimKind::about)
    judge_mean(judgement, names, applicable);
  else
    judge_trend(judgement, names, applicable, sizes);
  if (unevaluated && judgement.verdict != GridVerdict::fails) {
    judgement.verdict = GridVerdict::not_evaluated;
    judgement.reason = fmt::format("at {}: {}", place_text(names, unevaluated->parameters),
                                   unevaluated->outcome.reason);
  }
  return judgement;
}

} // namespace memlane
