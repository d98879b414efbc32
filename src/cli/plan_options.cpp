#include "plan_options.hpp"

#include "clock.hpp"
#include "interrupt.hpp"
#include "stored_points.hpp"

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

} // namespace memlane::cli
