// Simulated times between the integers that a simulator takes.
#pragma once

#include "memlane/measure/fit.hpp"

#include <map>

namespace memlane::measure {

/// Remembers every simulated time, and interpolates.
class FitTimes {
public:
  FitTimes(std::size_t points, const TimeAt& time_at) : cache_(points), time_at_(time_at) {}

  /// At integers. After the work was ended, 1 where it was not simulated before.
  double exact(std::size_t point, const Knobs& knobs);
  /// Piecewise linear over the simplices [Kuhn 1960] of a grid: four simulated times a place, not
  /// the eight of a cell's corners. The grid has the integers up to 16 and eight an octave above: a
  /// time is piecewise linear in a latency, so that little is lost, and far fewer runs are needed.
  double between(std::size_t point, const ParameterValues& values);
  /// Where all these points were simulated.
  std::vector<Knobs> simulated(const std::vector<std::size_t>& points) const;
  bool stopped() const { return stopped_; }

private:
  std::vector<std::map<Knobs, double>> cache_;
  const TimeAt& time_at_;
  bool stopped_ = false;
};

/// The greatest grid value that is not above `value`, and the next one.
struct GridCell {
  std::int64_t below = 1, above = 1;
  double part = 0; ///< 0 at `below`, 1 at `above`
};
GridCell grid_cell(double value);

Knobs knobs_of(const ParameterValues& values);

} // namespace memlane::measure
