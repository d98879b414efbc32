#include "plan_runs.hpp"

#include "clock.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "stored_points.hpp"

#include "memlane/store/point_order.hpp"

#include <utility>

namespace memlane::cli {

std::vector<Option> plan_options() {
  return join_options({{{"retry", 0, "", false, "run again what failed or stopped at a limit"},
                        {"max-steps", 0, "N", false, "stop a run after N instructions"},
                        {"max-memory", 0, "BYTES", false,
                         "most bytes of arrays, of each run and of those that run at once; 2G"}},
                       limit_options(),
                       engine_options(),
                       jobs_options()});
}

PlanOptions read_plan_options(OptionReader& options) {
  PlanOptions how;
  how.limits.run = read_limits(options);
  how.limits.run.check = stop_check(0); // the seconds are each point's
  how.limits.seconds = static_cast<double>(read_seconds(options));
  how.engine = read_engine(options);
  how.jobs = read_jobs(options);
  how.retry = options.has("retry");
  return how;
}

sweep::SweepRuns runs_with(const PlanOptions& how, InputFiles& inputs, const Sources& sources) {
  sweep::SweepRuns runs;
  runs.limits = how.limits;
  runs.engine = how.engine;
  runs.describe = describe_results(sources);
  runs.clock = seconds_now;
  runs.add_inputs = [&inputs](const ir::Program& code, sweep::Point& point) {
    return inputs.add(code, point);
  };
  return runs;
}

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
