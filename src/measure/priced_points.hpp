// Simulated times made into nanoseconds.
#pragma once

#include "memlane/measure/compare.hpp"

namespace memlane::measure {

/// Fits the nanoseconds of a time unit and of a launch to the emitted kernels that have units, and
/// sets `costs` and every point's `predicted_ns`. Latencies and ports stay those of the machine.
void price_points(MeasuredComparison& comparison);

} // namespace memlane::measure
