#include "plan_runs.hpp"

#include "interrupt.hpp"
#include "kernel_command.hpp"
#include "pending_file.hpp"
#include "progress.hpp"
#include "version.hpp"

#include "memlane/store/point_order.hpp"
#include "memlane/study/results/point_results.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace memlane::cli {

namespace {

/// The files that SQLite makes beside a store.
constexpr const char* store_endings[] = {"", "-wal", "-shm", "-journal"};

} // namespace

Result<TemporaryStore> TemporaryStore::make() {
  std::error_code none;
  const auto folder = std::filesystem::temp_directory_path(none);
  std::string path = ((none ? "/tmp" : folder) / "memlane-figures-XXXXXX").string();
  const int file = mkstemp(path.data());
  if (file < 0)
    return error_in(path, fmt::format("cannot make a temporary store: {}", std::strerror(errno)),
                    {"name one with --store FILE"});
  close(file);
  for (const char* ending : store_endings) remember_temporary(path + ending);
  return TemporaryStore(std::move(path));
}

TemporaryStore::TemporaryStore(TemporaryStore&& other) noexcept : path_(std::move(other.path_)) {
  other.path_.clear();
}

TemporaryStore::~TemporaryStore() {
  if (path_.empty()) return;
  for (const char* ending : store_endings) {
    std::error_code ignored;
    std::filesystem::remove(path_ + ending, ignored);
    forget_temporary(path_ + ending);
  }
}

void add_plan(Options& options, PlanOptions& how) {
  options.flag("retry", &how.retry, "run again what failed or stopped at a limit");
  add_limits(options, how.limits.run, &how.limits.seconds);
  add_engine(options, how.engine);
  add_jobs(options, how.jobs);
}

sweep::SweepRuns runs_with(const PlanOptions& how, InputFiles& inputs, const Sources& sources) {
  sweep::SweepRuns runs;
  runs.limits = how.limits;
  runs.engine = how.engine;
  runs.describe = describe_results(sources, version);
  runs.run_command = run_kernel_commands(how.limits);
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
    runs.complain(plan, plan.plan->point(point.number), ended);
  };
  const Result<sweep::SweepSummary> summary =
      sweep::run_sweeps(plans, pending, order, store, request, sources);
  if (!summary) return summary.errors();
  return PlansRun{summary->run, summary->interrupted};
}

Status run_points_of(const std::vector<PlannedFigure>& figures, const Limits& limits,
                     std::size_t jobs, sweep::Store& store, const Sources& sources,
                     const Console& console, FiguresRun& run) {
  PlanRuns runs;
  runs.request.runs.limits.run = limits;
  runs.request.runs.describe = describe_results(sources, version);
  runs.request.runs.run_command = run_kernel_commands(runs.request.runs.limits);
  runs.request.runs.clock = seconds_now;
  runs.request.jobs = jobs;
  runs.request.memory = limits.memory;
  runs.complain = [&console](const sweep::NamedPlan& plan, const sweep::PlannedPoint& planned,
                             const sweep::EndedPoint& ended) {
    if (ended.check_failed && planned.recipe.program.allow_races) return;
    console.print_error(fmt::format("{}: {}: {}\n", plan.sweep, planned.label, ended.message));
  };
  const Result<PlansRun> ran = run_plans(plans_of(figures), std::move(runs), store, sources);
  if (!ran) return ran.errors();
  run.run = ran->run;
  run.interrupted = ran->interrupted;
  return Done{};
}

} // namespace memlane::cli
