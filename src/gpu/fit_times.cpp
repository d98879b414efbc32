#include "fit_times.hpp"

#include <cmath>

namespace memlane::gpu {

GridCell grid_cell(double value) {
  const auto whole = static_cast<std::int64_t>(std::floor(value));
  std::int64_t step = 1;
  while (whole / step >= 32) step *= 2;
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
  if (stopped_) return 1;
  const auto found = cache_[point].find(knobs);
  if (found != cache_[point].end()) return found->second;
  const std::optional<double> time = time_at_(point, knobs);
  stopped_ = !time;
  return cache_[point].emplace(knobs, time.value_or(1)).first->second;
}

double FitTimes::between(std::size_t point, const ParameterValues& values) {
  const GridCell l = grid_cell(at(values, Parameter::shared_latency));
  const GridCell g = grid_cell(at(values, Parameter::global_latency));
  const GridCell p = grid_cell(at(values, Parameter::ports));
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const bool up_l = (corner & 1) != 0, up_g = (corner & 2) != 0, up_p = (corner & 4) != 0;
    const double weight =
        (up_l ? l.part : 1 - l.part) * (up_g ? g.part : 1 - g.part) * (up_p ? p.part : 1 - p.part);
    if (weight == 0) continue;
    const Knobs knobs{up_l ? l.above : l.below, up_g ? g.above : g.below, up_p ? p.above : p.below};
    sum += weight * exact(point, knobs);
  }
  return sum;
}

} // namespace memlane::gpu
