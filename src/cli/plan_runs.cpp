#include "plan_runs.hpp"

#include "clock.hpp"
#include "progress.hpp"
#include "sweep_progress.hpp"

#include "memlane/sweep/point_order.hpp"

#include <utility>

namespace memlane::cli {

Result<PlansRun> run_plans(const std::vector<sweep::NamedPlan>& plans, PlanRuns runs,
                           sweep::Store& store, const Sources& sources) {
  sweep::SweepRequest request = std::move(runs.request);
  std::vector<const sweep::Plan*> planned;
  for (const sweep::NamedPlan& one : plans) planned.push_back(one.plan);
  const sweep::Pending pending =
      sweep::pending_points(planned, &store, {}, runs.retry, request.runs.limits);
  if (pending.points.empty() || pending.interrupted) return PlansRun{0, pending.interrupted};
  sweep::PointOrder order(pending);
  SweepProgress progress(order, pending.points.size(), request.jobs, seconds_now());
  ProgressLine line([&] { return progress.text(seconds_now()); });
  request.runs.progress = [&line] { line.show(); };
  line.show_with(request.runs.limits.run);
  request.begin = [&](const sweep::PendingPoint& point, const std::string& label) {
    progress.begin(point, label, seconds_now());
    line.show();
  };
  request.end = [&](const sweep::PendingPoint& point, const sweep::EndedPoint& ended) {
    progress.end(point);
    if (ended.message.empty() || !runs.complain) return line.show();
    line.erase();
    const sweep::NamedPlan& plan = plans[static_cast<std::size_t>(point.sweep)];
    runs.complain(plan, plan.plan->point(point.number).label, ended.message);
  };
  const Result<sweep::SweepSummary> summary =
      sweep::run_sweeps(plans, pending, order, store, request, sources);
  if (!summary) return summary.errors();
  return PlansRun{summary->run, summary->interrupted};
}

} // namespace memlane::cli
