// Converts simulated times to nanoseconds.
#pragma once

#include "memlane/measure/compare.hpp"

namespace memlane::measure {

/// Fits the nanoseconds of a time unit and of a launch to the emitted kernels that have units; sets
/// `costs` and each point's `predicted_ns`. Latencies and ports are the machine's.
void predict_nanoseconds(MeasuredComparison& comparison);

} // namespace memlane::measure
