#include "predict_nanoseconds.hpp"

#include <algorithm>

namespace memlane::measure {
namespace {

bool is_fitted(const ComparedPoint& point) {
  return point.measured.variant == Variant::emitted && point.units && *point.units > 0;
}

/// Fits unit, and launch if the points can determine it.
FitRequest costs_request(const std::vector<FitPoint>& points) {
  FitRequest request;
  request.free = {};
  request.free[Parameter::unit] = true;
  request.free[Parameter::launch] =
      points.size() > 1 && std::any_of(points.begin(), points.end(),
                                       [](const FitPoint& point) { return point.launches > 0; });
  return request;
}

std::optional<FittedCosts> fit_costs(const std::vector<ComparedPoint>& compared) {
  std::vector<FitPoint> points;
  std::vector<double> units;
  for (const ComparedPoint& point : compared) {
    if (!is_fitted(point)) continue;
    points.push_back(fit_point(point.measured));
    units.push_back(*point.units);
  }
  const SimulatePoint simulate = [&](std::size_t i, const MemoryTiming&) {
    return std::optional(units[i]);
  };
  const Result<Fit> found = fit(points, costs_request(points), simulate);
  if (!found) return std::nullopt; // no points
  return FittedCosts{found->estimates[Parameter::unit], found->estimates[Parameter::launch],
                     points.size(), found->rms};
}

} // namespace

void predict_nanoseconds(MeasuredComparison& comparison) {
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
