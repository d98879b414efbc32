#include "interpolated_times.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace memlane::measure {

GridCell grid_cell_at(double value) {
  const auto whole = static_cast<std::int64_t>(std::floor(value));
  std::int64_t step = 1;
  while (whole / step >= 16) step *= 2;
  GridCell cell;
  cell.below = whole / step * step;
  cell.part = (value - static_cast<double>(cell.below)) / static_cast<double>(step);
  cell.above = cell.part > 0 ? cell.below + step : cell.below;
  return cell;
}

MemoryTiming timing_of(const ParameterValues& values) {
  const auto whole = [&](Parameter p) {
    return static_cast<std::int64_t>(std::llround(values[p]));
  };
  return {whole(Parameter::shared_latency), whole(Parameter::global_latency),
          whole(Parameter::ports)};
}

double InterpolatedTimes::exact(std::size_t point, const MemoryTiming& timing) {
  const auto found = cache_[point].find(timing);
  if (found != cache_[point].end()) return found->second;
  if (stopped_) return 1;
  const std::optional<double> time = simulate_(point, timing);
  stopped_ = !time;
  return time ? cache_[point].emplace(timing, *time).first->second : 1;
}

std::vector<MemoryTiming>
InterpolatedTimes::simulated(const std::vector<std::size_t>& points) const {
  std::vector<MemoryTiming> all;
  if (points.empty()) return all;
  for (const auto& [timing, time] : cache_[points.back()]) {
    const bool everywhere =
        std::all_of(points.begin(), points.end(),
                    [&, at = timing](std::size_t i) { return cache_[i].count(at) > 0; });
    if (everywhere) all.push_back(timing);
  }
  return all;
}

double InterpolatedTimes::interpolated(std::size_t point, const ParameterValues& values) {
  struct Axis {
    GridCell cell;
    std::int64_t MemoryTiming::*member;
  };
  std::array<Axis, 3> axes = {
      {{grid_cell_at(values[Parameter::shared_latency]), &MemoryTiming::shared_latency},
       {grid_cell_at(values[Parameter::global_latency]), &MemoryTiming::global_latency},
       {grid_cell_at(values[Parameter::ports]), &MemoryTiming::ports}}};
  // The path from the low to the high corner, along the axis with the greatest part first, visits
  // the corners of the simplex that contains the values.
  std::stable_sort(axes.begin(), axes.end(),
                   [](const Axis& a, const Axis& b) { return a.cell.part > b.cell.part; });
  MemoryTiming corner;
  for (const Axis& axis : axes) corner.*axis.member = axis.cell.below;
  double sum = exact(point, corner) * (1 - axes.front().cell.part);
  for (std::size_t i = 0; i < axes.size() && axes[i].cell.part > 0; ++i) {
    corner.*axes[i].member = axes[i].cell.above;
    const double next = i + 1 < axes.size() ? axes[i + 1].cell.part : 0;
    sum += exact(point, corner) * (axes[i].cell.part - next);
  }
  return sum;
}

} // namespace memlane::measure
