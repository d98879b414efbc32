// Simulations of measured points: what a comparison and a fit predict.
#pragma once

#include "memlane/points/point.hpp"
#include "memlane/study/gpu/measured_points.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace memlane::measure {

/// How programs are read.
struct SimulatedFiles {
  std::function<Result<std::string>(const MeasuredPoint&)> sha256;
  std::function<Result<CheckedProgram>(
      const std::string& program, const std::vector<std::pair<std::string, std::string>>& replaced)>
      program;
};

/// The simulator; `jobs` runs side by side. Refers to `sources`.
Simulator simulator_of(SimulatedFiles files, Sources& sources, const Limits& limits,
                       sweep::Engine engine, std::size_t jobs);

} // namespace memlane::measure
