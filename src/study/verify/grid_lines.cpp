#include "grid_lines.hpp"

#include "grid_run.hpp"

#include "memlane/claim/claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace memlane::sweep {

namespace {

bool mentions(const lang::Expr& expr, std::string_view name) {
  if (expr.kind == lang::ExprKind::name && expr.name == name) return true;
  return std::any_of(expr.operands.begin(), expr.operands.end(),
                     [&](const lang::Expr& operand) { return mentions(operand, name); });
}

/// The first of each list, the second of each, …, every point once.
std::vector<GridValues> in_turn(const std::vector<std::vector<GridValues>>& lists) {
  std::vector<GridValues> all;
  std::set<GridValues> seen;
  std::size_t longest = 0;
  for (const auto& list : lists) longest = std::max(longest, list.size());
  for (std::size_t k = 0; k < longest; ++k)
    for (const auto& list : lists)
      if (k < list.size() && seen.insert(list[k]).second) all.push_back(list[k]);
  return all;
}

Trend trend_of(const std::vector<GridAxis>& axes, const std::vector<GridRatio>& ratios) {
  std::vector<std::string> names;
  for (const GridAxis& axis : axes) names.push_back(axis.name);
  std::vector<TrendPoint> points;
  for (const GridRatio& r : ratios)
    points.push_back({{r.values.begin(), r.values.end()}, r.ratio, 0});
  return find_trend(names, points);
}

/// The ratios of a bound in this setting; none for other claims.
std::vector<GridRatio> ratios_of(lang::ClaimKind kind, const std::vector<GridPoint>& outcomes,
                                 std::int64_t setting) {
  std::vector<GridRatio> ratios;
  if (!is_bound(kind)) return ratios;
  for (const GridPoint& point : outcomes) {
    if (point.setting != setting || !(point.outcome.ratio > 0)) continue;
    if (point.outcome.verdict != ClaimVerdict::ratio_only) continue;
    ratios.push_back({point.parameters, point.outcome.ratio});
  }
  return ratios;
}

/// Whether the claim says nothing of the greatest (least) ratios.
bool is_other_side(lang::ClaimKind kind, bool greatest) {
  return kind == (greatest ? lang::ClaimKind::omega : lang::ClaimKind::big_o);
}

bool fails_along(const ParameterTrend& parameter, bool greatest) {
  return greatest ? parameter.seems_to_grow() : parameter.seems_to_vanish();
}

} // namespace

bool asks_for_lockstep(const lang::Program& program) {
  return std::any_of(program.claims.begin(), program.claims.end(), [](const auto& claim) {
    return claim.when && mentions(*claim.when, "lockstep");
  });
}

std::vector<FollowedBound> bounds_in(const lang::Program& program,
                                     const std::vector<GridAxis>& axes,
                                     const std::vector<std::vector<GridPoint>>& outcomes,
                                     std::int64_t setting) {
  std::vector<FollowedBound> found;
  for (std::size_t k = 0; k < program.claims.size(); ++k) {
    const lang::ClaimKind kind = program.claims[k].kind;
    const std::vector<GridRatio> ratios = ratios_of(kind, outcomes[k], setting);
    const Trend trend = trend_of(axes, ratios);
    for (const bool greatest : {true, false}) {
      if (ratios.empty() || is_other_side(kind, greatest)) continue;
      const bool fails =
          std::any_of(trend.parameters.begin(), trend.parameters.end(),
                      [&](const ParameterTrend& p) { return fails_along(p, greatest); });
      found.push_back({k, greatest, fails, ratios, setting});
    }
  }
  return found;
}

std::vector<GridValues> missing_points(const lang::Program& program,
                                       const std::vector<GridAxis>& axes,
                                       const std::vector<std::vector<GridPoint>>& outcomes,
                                       std::int64_t setting, bool later) {
  std::vector<std::vector<GridValues>> first, second;
  for (std::size_t k = 0; k < program.claims.size(); ++k) {
    const lang::ClaimKind kind = program.claims[k].kind;
    const std::vector<GridRatio> ratios = ratios_of(kind, outcomes[k], setting);
    const Trend trend = trend_of(axes, ratios);
    for (const bool greatest : {true, false}) {
      if (is_other_side(kind, greatest)) continue;
      first.push_back(lines_through_extreme(axes, ratios, greatest));
      if (!later) second.push_back(lines_of_groups(axes, ratios, greatest));
      for (std::size_t axis = 0; later && axis < axes.size(); ++axis) {
        const ParameterTrend& p = trend.parameters[axis];
        if (fails_along(p, greatest))
          second.push_back(lines_through_groups(axes, axis, ratios, greatest));
      }
    }
  }
  std::vector<GridValues> all = in_turn(first);
  for (GridValues& values : in_turn(second)) all.push_back(std::move(values));
  return all;
}

/// The command that repeats the run at a point.
std::string GridRun::command(const GridSetting& setting, const GridValues& values,
                             std::uint64_t seed) const {
  const std::vector<AxisUse> uses = uses_of(axes_, setting.model, variant_->checked);
  Point at = point_at(request_, place_at(uses, values, setting.model, setting.lockstep), *variant_);
  ask_for_counts(variant_->checked, at.machine, at.options);
  at.options.seed = seed;
  return command_at(request_, at, setting.replaced);
}

/// A part of the grid can refute a claim; it cannot confirm one.
static void mark_partial(GridJudgement& judgement) {
  if (judgement.verdict == GridVerdict::fails || judgement.verdict == GridVerdict::not_evaluated)
    return;
  judgement.verdict = GridVerdict::not_decided;
  judgement.reason = "stopped before the end: only a part of the grid was run";
}

/// The constant of an exact claim that has the formula of a bound and holds on the grid; none of
/// another claim.
std::optional<double> GridRun::settling_constant(std::size_t exact, std::size_t bound) const {
  const lang::ClaimKind kind = tree().claims[bound].kind;
  const bool settles =
      tree().claims[exact].kind ==
      (kind == lang::ClaimKind::big_o ? lang::ClaimKind::at_most : lang::ClaimKind::at_least);
  if (kind == lang::ClaimKind::theta || !settles) return std::nullopt;
  if (outcomes_[exact].size() != outcomes_[bound].size()) return std::nullopt;
  return constant_of(outcomes_[exact], outcomes_[bound]);
}

/// A bound that larger sizes would decide, or that seems to fail along a line, is decided by an
/// exact claim with its formula, which holds on the grid and, along each such line, where the
/// growth would have left it behind. Without a run there, nothing is decided.
void GridRun::settle_by_exact(std::size_t bound, GridJudgement& judgement) const {
  const bool by_growth = judgement.verdict == GridVerdict::fails && !judgement.rays.empty();
  if (judgement.verdict != GridVerdict::not_decided && !by_growth) return;
  for (std::size_t k = 0; k < tree().claims.size(); ++k) {
    const auto constant = settling_constant(k, bound);
    if (!constant) continue;
    const bool kept = std::all_of(rays_[bound].begin(), rays_[bound].end(), [&](const Ray& ray) {
      return ray.growth == Growth::settles ||
             (ray.kept && std::abs(*ray.kept / *constant - 1) < 1e-9);
    });
    if (!kept && by_growth) {
      judgement.counterexample.reset();
      judgement.reason += fmt::format("; an exact claim gives c = {:.4g}, and no run is possible "
                                      "where this growth would pass it",
                                      *constant);
    }
    judgement.verdict = kept ? GridVerdict::holds : GridVerdict::not_decided;
    if (!kept) continue;
    judgement.constant = constant;
    judgement.reason.clear();
    judgement.counterexample.reset();
    judgement.rays.clear();
    return;
  }
}

void GridRun::judge() {
  const PlaceName place = [&](const GridValues& parameters, std::int64_t number) {
    return place_on(result_.names, parameters, setting_of(result_, number));
  };
  std::vector<std::string> sizes;
  for (const GridAxis& axis : axes_)
    if (axis.size) sizes.push_back(axis.name);
  for (std::size_t k = 0; k < tree().claims.size(); ++k) {
    const lang::ClaimDecl& claim = tree().claims[k];
    ClaimVerification verified;
    verified.source = claim.source;
    verified.text = claim_text(claim, sources_);
    const auto& ran = result_.models;
    verified.elsewhere = result_.stop == Stop::none &&
                         std::none_of(ran.begin(), ran.end(), [&](const std::string& model) {
                           return speaks_of(claim, model);
                         });
    verified.judgement = judge_over_grid(claim.kind, result_.names, outcomes_[k], sizes, place,
                                         rays_[k], more_points(request_.grid.points));
    settle_by_exact(k, verified.judgement);
    if (result_.stop != Stop::none) mark_partial(verified.judgement);
    if (const auto& point = verified.judgement.counterexample; point && !verified.elsewhere) {
      const GridSetting& setting = setting_of(result_, point->setting);
      verified.counterexample = {setting_text(setting),
                                 command(setting, point->parameters, point->seed)};
    }
    result_.claims.push_back(std::move(verified));
  }
}

/// Values of the grid are a way out of broken conditions only.
Result<Verification> GridRun::runs_nowhere() {
  if (!model_refusal_.empty() && !refused_) { // so somewhere its conditions hold
    std::string asked;
    for (const Model model : request_.models)
      asked += fmt::format("{}{}", asked.empty() ? "" : ", ", name_of(model));
    Diagnostics errors{error_in("",
                                fmt::format("{} cannot run on a machine of the model asked for: {}",
                                            result_.program, asked),
                                {"take another --model, or leave it out for all that can run it"})};
    errors.insert(errors.end(), model_refusal_.begin(), model_refusal_.end());
    return errors;
  }
  if (!possible_.empty() && result_.unfit_runs == 0 && !refused_) {
    result_.unused = {
        error_in("--points",
                 fmt::format("the runs of {} are all too large for a grid of {} points",
                             result_.program, request_.grid.points),
                 {way_to_larger(request_.grid.points)})};
    return std::move(result_);
  }
  Diagnostics errors{
      error_in("", fmt::format("{} can run at no point of its grid", result_.program),
               {result_.unfit_runs > 0 ? "give values whose launches fit on the machines: --grid "
                                         "p=256,1024, or smaller parameters"
                : refusal_.empty()     ? "p is a multiple of w: --grid w=32 --grid p=64,128"
                                       : "give values that its conditions allow: --grid n=16,64"})};
  errors.insert(errors.end(), refusal_.begin(), refusal_.end());
  return errors;
}

} // namespace memlane::sweep
