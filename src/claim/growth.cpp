#include "memlane/claim/growth.hpp"

#include <cmath>
#include <cstddef>

namespace memlane {
namespace {

/// Doublings in a window: two even out the steps of ceilings.
constexpr std::size_t window = 2;
/// What a window must gain, of what the one before gained, to go on.
constexpr double steady = 0.9;
/// A window that gains less than this part of it has a ratio that settles.
constexpr double dying = 0.75;
/// A window that gains less than this part of the ratio has a ratio that stands still.
constexpr double nothing = 0.02;
/// The least factor over three windows.
constexpr double least_rise = 1.1;
/// How much the slope may rise from the first window to the third: before the knee of a ratio
/// a + b*x^e it doubles.
constexpr double bent = 1.15;
/// A rise over three windows that no constants of a sum's terms explain, whatever the slopes.
constexpr double steep_rise = 16;

} // namespace

Growth growth_of(std::span<const double> ratios) {
  const auto from_end = [&](std::size_t k) { return ratios[ratios.size() - 1 - k * window]; };
  const auto gain = [&](std::size_t k) { return from_end(k) - from_end(k + 1); };
  if (ratios.size() <= window) return Growth::unclear;
  if (gain(0) <= nothing * from_end(0)) return Growth::settles;
  if (ratios.size() <= 2 * window) return Growth::unclear;
  if (gain(1) > 0 && gain(0) < dying * gain(1)) return Growth::settles;
  if (ratios.size() <= 3 * window) return Growth::unclear;
  const double rise = from_end(0) / from_end(3);
  const bool goes_on = gain(2) > 0 && gain(1) >= steady * gain(2) && gain(0) >= steady * gain(1);
  const double last = from_end(0) / from_end(1), first = from_end(2) / from_end(3);
  const bool straight = last - 1 <= bent * (first - 1);
  return goes_on && rise >= least_rise && (straight || rise >= steep_rise) ? Growth::grows
                                                                           : Growth::unclear;
}

bool grows_to_the_end(std::span<const double> ratios) {
  if (ratios.size() <= 2 * window) return false;
  const std::size_t last = ratios.size() - 1;
  const double least = std::sqrt(1 << window);
  return ratios[last] >= least * ratios[last - window] &&
         ratios[last - window] >= least * ratios[last - 2 * window];
}

} // namespace memlane
