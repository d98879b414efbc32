// A sweep on the processes of mpirun: process 0 owns the store and hands out points one by one, so
// that a slow point delays no other; the others run them.
#pragma once

#include "processes.hpp"

#include "memlane/sweep/point_order.hpp"

namespace memlane::cli {

/// What process 0 does: stores each point as its result arrives. When limits.run.check asks to
/// stop, no more points are handed out; those under way are waited for. The others end in any case.
/// Errors: the store can no longer be written; messages fail.
Result<sweep::SweepSummary> lead_sweep(Processes& processes, const sweep::Plan& plan,
                                       const sweep::Pending& pending, sweep::PointOrder& order,
                                       sweep::Store& store, const sweep::SweepRequest& request);

/// What the others do until process 0 has no more points for them.
Status work_for_sweep(Processes& processes, const sweep::Plan& plan, const sweep::SweepRuns& runs,
                      const Sources& sources);

/// What process 0 does if there is nothing to do: the others end.
Status dismiss(Processes& processes);

} // namespace memlane::cli
