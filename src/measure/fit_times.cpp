#include "fit_times.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace memlane::measure {

GridCell grid_cell(double value) {
  const auto whole = static_cast<std::int64_t>(std::floor(value));
  std::int64_t step = 1;
  while (whole / step >= 16) step *= 2;
  GridCell cell;
  cell.below = whole / step * step;
  cell.part = (value - static_cast<double>(cell.below)) / static_cast<double>(step);
  cell.above = cell.part > 0 ? cell.below + step : cell.below;
  return cell;
}

Knobs knobs_of(const ParameterValues& values) {
  const auto whole = [&](Parameter p) {
    return static_cast<std::int64_t>(std::llround(at(values, p)));
  };
  return {whole(Parameter::shared_latency), whole(Parameter::global_latency),
          whole(Parameter::ports)};
}

double FitTimes::exact(std::size_t point, const Knobs& knobs) {
  const auto found = cache_[point].find(knobs);
  if (found != cache_[point].end()) return found->second;
  if (stopped_) return 1;
  const std::optional<double> time = time_at_(point, knobs);
  stopped_ = !time;
  return time ? cache_[point].emplace(knobs, *time).first->second : 1;
}

std::vector<Knobs> FitTimes::simulated(const std::vector<std::size_t>& points) const {
  std::vector<Knobs> all;
  if (points.empty()) return all;
  for (const auto& [knobs, time] : cache_[points.back()]) {
    const bool everywhere =
        std::all_of(points.begin(), points.end(),
                    [&, at = knobs](std::size_t i) { return cache_[i].count(at) > 0; });
    if (everywhere) all.push_back(knobs);
  }
  return all;
}

double FitTimes::between(std::size_t point, const ParameterValues& values) {
  struct Axis {
    GridCell cell;
    std::int64_t Knobs::*knob;
  };
  std::array<Axis, 3> axes = {
      {{grid_cell(at(values, Parameter::shared_latency)), &Knobs::shared_latency},
       {grid_cell(at(values, Parameter::global_latency)), &Knobs::global_latency},
       {grid_cell(at(values, Parameter::ports)), &Knobs::ports}}};
  // From the low corner of the cell to the high one, the axis with the greatest part first: the
  // corners on the way are those of the simplex that holds the place.
  std::stable_sort(axes.begin(), axes.end(),
                   [](const Axis& a, const Axis& b) { return a.cell.part > b.cell.part; });
  Knobs corner;
  for (const Axis& axis : axes) corner.*axis.knob = axis.cell.below;
  double sum = exact(point, corner) * (1 - axes.front().cell.part);
  for (std::size_t i = 0; i < axes.size() && axes[i].cell.part > 0; ++i) {
    corner.*axes[i].knob = axes[i].cell.above;
    const double next = i + 1 < axes.size() ? axes[i + 1].cell.part : 0;
    sum += exact(point, corner) * (axes[i].cell.part - next);
  }
  return sum;
}

} // namespace memlane::measure
