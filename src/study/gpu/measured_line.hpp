// A line of measurements: its keys, by which it is read.
#pragma once

#include "memlane/study/gpu/measurements.hpp"
#include "memlane/support/json_record.hpp"

namespace memlane::measure {

/// Help for times that are none.
inline constexpr const char* skipped_help =
    "write a point without a time with \"skipped\": \"why\"";

/// What every line has, and `problem`. Other keys are ignored.
const Record<MeasuredPoint>& point_record();
/// The whole line of a point that was measured. Other keys are ignored, because the format grows.
const Record<MeasuredPoint>& measured_record();
/// The same of a launch of an executable.
const Record<MeasuredPoint>& executable_record();

/// What only such a line has.
std::vector<RecordKey<MeasuredPoint>> launch_keys();
ExecutableLaunch& launch_of(MeasuredPoint& point);

} // namespace memlane::measure
