// What a sweep will take: roughly, from runs that are known and from its small points.
#pragma once

#include "memlane/store/sweep_run.hpp"

#include <optional>
#include <string>

namespace memlane::sweep {

struct WorkEstimate {
  std::optional<double> seconds; ///< of all points, one after the other; none: no run is known
  std::int64_t from_runs = 0;
  std::int64_t bytes = 0; ///< of the arrays of the point that holds most, of those looked at
  std::string largest;    ///< its label
};

/// Binds the heaviest points for their memory, and runs light ones of each program for at most
/// about `trial` seconds in all, whose results are discarded, unless enough runs are known. The
/// seconds of a program grow with a power of the points' weight that is fitted to its runs.
/// Deterministic but for the seconds. Requires pending points.
WorkEstimate estimate_work(const Plan& plan, const Pending& pending, const SweepRuns& runs,
                           double trial, const Sources& sources);

} // namespace memlane::sweep
