#include "grid_lines.hpp"

#include "memlane/claim/claim.hpp"

#include <algorithm>
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
  if (is_exact(kind) || kind == lang::ClaimKind::about) return ratios;
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

} // namespace memlane::sweep
