#include "power_law.hpp"

#include <algorithm>

namespace memlane::sweep {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace

/// The median of slopes between pairs (Theil, Sen), then the median of factors among the heavier
/// half: a run that the system held up decides nothing. The power is fitted only to runs that last
/// long enough to be timed; without such pairs the seconds are taken to grow with the weight.
PowerLaw fitted_law(std::vector<TimedPoint> runs) {
  constexpr double timed = 2e-4, far_apart = 4, steepest = 3;
  constexpr std::size_t most = 200;
  std::sort(runs.begin(), runs.end(),
            [](const TimedPoint& a, const TimedPoint& b) { return a.weight < b.weight; });
  std::vector<TimedPoint> some;
  const std::size_t step = (runs.size() + most - 1) / most;
  for (std::size_t k = 0; k < runs.size(); k += step) some.push_back(runs[runs.size() - 1 - k]);
  std::vector<double> slopes, factors;
  for (const TimedPoint& heavy : some)
    for (const TimedPoint& light : some)
      if (light.seconds >= timed && heavy.weight >= far_apart * light.weight)
        slopes.push_back(std::log(heavy.seconds / light.seconds) /
                         std::log(static_cast<double>(heavy.weight / light.weight)));
  PowerLaw law;
  if (!slopes.empty()) law.power = std::clamp(median(std::move(slopes)), 0.0, steepest);
  for (std::size_t k = 0; k < (some.size() + 1) / 2; ++k)
    factors.push_back(some[k].seconds / std::pow(some[k].weight, law.power));
  law.factor = median(std::move(factors));
  return law;
}

} // namespace memlane::sweep
