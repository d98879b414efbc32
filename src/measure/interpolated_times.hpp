// Simulated times at integers, interpolated between them.
#pragma once

#include "memlane/measure/fit.hpp"

#include <map>

namespace memlane::measure {

/// Caches every simulated time, and interpolates.
class InterpolatedTimes {
public:
  InterpolatedTimes(std::size_t points, const SimulatePoint& simulate)
      : cache_(points), simulate_(simulate) {}

  /// After the simulator stopped: 1 for a time that was not simulated before.
  double exact(std::size_t point, const MemoryTiming& timing);
  /// Piecewise linear over the simplices of a grid [Kuhn 1960], which takes four simulated times
  /// instead of a cell's eight corners. The grid has the integers up to 16 and eight values an
  /// octave above. A time is piecewise linear in a latency, so that this loses little and saves
  /// many runs.
  double interpolated(std::size_t point, const ParameterValues& values);
  /// The timings at which all these points were simulated.
  std::vector<MemoryTiming> simulated(const std::vector<std::size_t>& points) const;
  bool stopped() const { return stopped_; }

private:
  std::vector<std::map<MemoryTiming, double>> cache_;
  const SimulatePoint& simulate_;
  bool stopped_ = false;
};

/// The grid values around a value.
struct GridCell {
  std::int64_t below = 1, above = 1;
  double part = 0; ///< 0 at `below`, 1 at `above`
};
GridCell grid_cell_at(double value);

MemoryTiming timing_of(const ParameterValues& values);

} // namespace memlane::measure
