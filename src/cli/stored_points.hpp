// Results of points as a store keeps them.
#pragma once

#include "memlane/report/run_report.hpp"
#include "memlane/sweep/store.hpp"
#include "memlane/sweep/sweep_run.hpp"

namespace memlane::cli {

/// The report of a point's run, as `memlane run` would give it. `code` is null where the point
/// could not be bound: its parameters are unknown then.
RunReport report_of(const sweep::Point& point, const std::string& machine_path,
                    const sweep::PointResult& result);

/// A run that could be bound, as a store keeps it; all but its key and the sweep's name. `command`
/// repeats the run.
sweep::EndedPoint stored_point(const sweep::Point& point, const std::string& machine_path,
                               const sweep::PointResult& result, const std::string& command,
                               const Sources& sources);

/// How a sweep makes what it stores; `sources` must outlive it.
sweep::DescribeResult describe_results(const Sources& sources);

} // namespace memlane::cli
