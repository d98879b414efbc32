#include "priced_points.hpp"

#include <algorithm>

namespace memlane::measure {
namespace {

bool serves_fit(const ComparedPoint& point) {
  return point.measured.variant == Variant::emitted && point.units && *point.units > 0;
}

/// A unit and a launch are free, as far as the points can tell.
FitRequest costs_request(const std::vector<FitPoint>& points) {
  FitRequest request;
  request.free.fill(false);
  request.free[static_cast<std::size_t>(Parameter::unit)] = true;
  request.free[static_cast<std::size_t>(Parameter::launch)] =
      points.size() > 1 && std::any_of(points.begin(), points.end(),
                                       [](const FitPoint& point) { return point.launches > 0; });
  return request;
}

std::optional<FittedCosts> fit_costs(const std::vector<ComparedPoint>& compared) {
  std::vector<FitPoint> points;
  std::vector<double> units;
  for (const ComparedPoint& point : compared) {
    if (!serves_fit(point)) continue;
    points.push_back(fit_point(point.measured, point.curve));
    units.push_back(*point.units);
  }
  const TimeAt time_at = [&](std::size_t i, const Knobs&) { return std::optional(units[i]); };
  const Result<Fit> found = fit(points, costs_request(points), time_at);
  if (!found) return std::nullopt; // there is no point
  return FittedCosts{found->estimates[static_cast<std::size_t>(Parameter::unit)],
                     found->estimates[static_cast<std::size_t>(Parameter::launch)], points.size(),
                     found->rms};
}

} // namespace

void price_points(MeasuredComparison& comparison) {
  comparison.costs = fit_costs(comparison.points);
  if (!comparison.costs) return;
  for (ComparedPoint& point : comparison.points) {
    if (!point.units) continue;
    const double ns =
        comparison.costs->unit.value * *point.units +
        comparison.costs->launch.value * static_cast<double>(point.measured.priced_launches());
    if (ns > 0) point.predicted_ns = ns;
  }
}

} // namespace memlane::measure
