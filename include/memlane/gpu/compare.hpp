// Measured points beside the simulator's time units.
#pragma once

#include "memlane/gpu/ordering.hpp"
#include "memlane/gpu/points.hpp"

namespace memlane::gpu {

/// One measured point and what the model says of it. A CUB kernel is another algorithm: it stands
/// in the table beside the program, but has no time units.
struct ComparedPoint {
  Measured measured;
  std::string curve;
  std::optional<double> size; ///< n
  std::optional<std::int64_t> time;
  std::string why_not;          ///< without a time
  std::optional<double> cycles; ///< median inside the kernels
  /// Of a kernel that memlane did not emit: its time as a multiple of the program's fastest emitted
  /// kernel at the same parameters, as far as it has them.
  std::optional<double> of_emitted;

  std::optional<double> ns_per_unit() const;
  std::optional<double> cycles_per_unit() const;
};

struct MeasuredComparison {
  std::string path;
  MachineSpec machine;
  std::vector<ComparedPoint> points; ///< by curve, size and variant
  std::vector<Skipped> skipped;
  Ordering emitted, hand_written; ///< of the points that have a size and a time
  std::optional<double> scale;    ///< geometric mean of ns per time unit of the emitted kernels
  bool stopped = false;           ///< interrupted, or out of time
};

/// Simulates every point and holds the times against each other. `max_steps` bounds the work of a
/// point; without it, `all_steps` are shared among the points: each may take its part of what is
/// left, small sizes first, so that what they leave goes to the large.
struct ComparisonLimits {
  std::optional<std::int64_t> max_steps;
  std::int64_t all_steps = 300'000'000;
};
MeasuredComparison compare_measured(Measurements measurements, const MachineSpec& machine,
                                    const Simulator& simulator, const ComparisonLimits& limits);

} // namespace memlane::gpu
