// How long runs of a program take: a power of their weight, fitted to timed runs.
#pragma once

#include "memlane/store/sweep_run.hpp"

#include <cmath>
#include <vector>

namespace memlane::sweep {

/// The seconds of a program's runs as factor * weight^power.
struct PowerLaw {
  double factor = 0, power = 1;

  double at(double weight) const { return factor * std::pow(weight, power); }
};

/// Requires a run. Cost: O(runs * log runs), and pairs of at most 200 of them.
PowerLaw fitted_law(std::vector<TimedPoint> runs);

} // namespace memlane::sweep
