// Axes: which values they show, where a value is on them, and their ticks.
#pragma once

#include "memlane/chart/chart.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memlane {

/// Whether an axis of this scale has a place for the value: a finite number, above 0 on logarithmic
/// axes, and small enough for differences of two.
bool has_place(AxisScale scale, double value);

/// The values from lo to hi, which are different, on an axis.
/// log2 for powers of two, else log10.
AxisScale log_scale_of(const std::vector<double>& values);
/// The scale for values in ascending order, each once: logarithmic if they grow by factors rather
/// than by steps, that is, if factors between neighbours differ less than differences do. Two
/// values do if one is at least 8 times the other.
AxisScale scale_of_values(const std::vector<double>& values);

struct AxisSpan {
  AxisScale scale = AxisScale::linear;
  double lo = 0, hi = 1;
  bool whole = false; ///< all values are whole numbers, and so are linear ticks

  /// Where a value with a place is: 0 at lo, 1 at hi.
  double share(double value) const;
  double value(double share) const;
  /// Where bars begin: at 0, or at the end that is nearest to it.
  double base() const;
  bool holds(double value) const { return value >= lo && value <= hi; }
};

/// Collects what an axis must show.
class AxisRange {
public:
  explicit AxisRange(const ChartAxis& axis);
  void hold(double value); ///< ignores a value that has no place on the axis
  /// With some room, so that no mark sits on the frame. From 0, if `from_zero` or if this adds
  /// little to a linear axis. From 1 to 10 (linear: 0 to 1) if nothing was to be held.
  AxisSpan span(bool from_zero) const;

private:
  const ChartAxis* axis_;
  double least_ = INFINITY, greatest_ = -INFINITY;
  bool whole_ = true;
};

struct AxisTick {
  double at = 0; ///< a value of the axis
  std::string text;
};

/// Two to `most` (from 2) ticks with their texts, ascending; of categories, all or each k-th. On
/// logarithmic axes powers of the base; where these are few, 1, 2 and 5 times powers of ten; where
/// these are few too, even steps.
std::vector<AxisTick> ticks_of(const ChartAxis& axis, const AxisSpan& span, std::size_t most);

/// One value as hover texts write it: all digits of whole numbers.
std::string value_text(const ChartAxis& axis, double value);

} // namespace memlane
