#include "memlane/store/sweep_run.hpp"

#include "memlane/points/parallel_tasks.hpp"
#include "memlane/store/point_order.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

namespace memlane::sweep {
namespace {

/// The point's own clock: the whole sweep's wish to stop does not end a run that has begun.
/// `spent`: seconds of binding.
void set_deadline(Point& point, const SweepRuns& runs, double spent) {
  const double end =
      runs.limits.seconds > 0 ? runs.clock() + runs.limits.seconds - spent : INFINITY;
  point.options.limits.check = [&runs, end] {
    if (runs.progress) runs.progress();
    return runs.clock() >= end ? Stop::wall_clock : Stop::none;
  };
}

Point point_to_run(const PlannedPoint& planned, const SweepRuns& runs) {
  Point point = planned.point;
  const bool allow_races = planned.point.program->info.all_races_allowed;
  point.engine = runs.engine;
  point.run_command = runs.run_command;
  point.options.limits = runs.limits.run;
  point.options.allow_races = allow_races;
  return point;
}

/// While a point is bound, both end it.
std::function<Stop()> check_of_binding(std::function<Stop()> check, const SweepRuns& runs,
                                       double begun) {
  const double end = runs.limits.seconds > 0 ? begun + runs.limits.seconds : INFINITY;
  return [check = std::move(check), &runs, end] {
    const Stop stop = check ? check() : Stop::none;
    return stop == Stop::none && runs.clock() >= end ? Stop::wall_clock : stop;
  };
}

EndedPoint ended_point(const PlannedPoint& planned, std::int64_t number, const PointResult& result,
                       const SweepRuns& runs) {
  EndedPoint ended = ended_as(result, runs.limits);
  ended.number = number;
  runs.describe(planned, result, ended);
  ended.stored.key = planned.key;
  ended.stored.key_parts = planned.key_parts;
  ended.stored.sweep = runs.sweep;
  ended.stored.seconds = result.seconds;
  return ended;
}

/// Points under way in this process.
class SweepQueue {
public:
  SweepQueue(const std::vector<NamedPlan>& plans, const Pending& pending, PointOrder& order,
             Store& store, const SweepRequest& request, const Sources& sources)
      : plans_(plans), pending_(pending), order_(order), store_(store), request_(request),
        sources_(sources), chosen_(pending.points.size()), planned_(pending.points.size()),
        spent_(pending.points.size()) {}

  Result<SweepSummary> run();

private:
  Point point(std::size_t at);
  Stop asked() const;
  void take(std::size_t at, PointResult result);
  void store(const PendingPoint& pending, const EndedPoint& ended);
  const PendingPoint& pending_at(std::size_t at) const { return pending_.points[chosen_[at]]; }
  const NamedPlan& plan_of(const PendingPoint& point) const {
    return plans_[static_cast<std::size_t>(point.sweep)];
  }

  const std::vector<NamedPlan>& plans_;
  const Pending& pending_;
  PointOrder& order_;
  Store& store_;
  const SweepRequest& request_;
  const Sources& sources_;
  std::vector<std::size_t> chosen_; ///< the pending point of each turn
  /// One for each turn, null unless it is under way.
  std::vector<std::unique_ptr<PlannedPoint>> planned_;
  /// Each turn's start, and once it is bound the seconds that this took.
  std::vector<double> spent_;
  std::mutex storing_;
  std::atomic<bool> store_failed_ = false;
  Diagnostics errors_; ///< what the store could not do
  SweepSummary summary_;
};

Stop SweepQueue::asked() const {
  if (store_failed_) return Stop::interrupted;
  const auto& check = request_.runs.limits.run.check;
  return check ? check() : Stop::none;
}

Point SweepQueue::point(std::size_t at) {
  chosen_[at] = order_.next();
  const PendingPoint& pending = pending_at(at);
  planned_[at] = std::make_unique<PlannedPoint>(plan_of(pending).plan->point(pending.number));
  Point point = point_to_run(*planned_[at], request_.runs);
  // Cores that have no point of their own help the others.
  point.options.side_by_side.threads = std::max<std::size_t>(1, request_.jobs / planned_.size());
  point.options.side_by_side.run = run_together;
  spent_[at] = request_.runs.clock();
  point.options.limits.check =
      check_of_binding([this] { return asked(); }, request_.runs, spent_[at]);
  return point;
}

void SweepQueue::take(std::size_t at, PointResult result) {
  const std::unique_ptr<PlannedPoint> planned = std::move(planned_[at]);
  const PendingPoint& pending = pending_at(at);
  if (result.run.stop == Stop::interrupted && !result.started) {
    const std::lock_guard lock(storing_);
    summary_.interrupted = true;
    return;
  }
  EndedPoint ended = ended_point(*planned, pending.number, result, request_.runs);
  ended.stored.sweep = plan_of(pending).sweep;
  order_.ended(pending, ended.stored.seconds);
  const std::lock_guard lock(storing_);
  store(pending, ended);
}

void SweepQueue::store(const PendingPoint& pending, const EndedPoint& ended) {
  if (store_failed_) return;
  if (Status added = store_.add(ended.stored, ended.status, ended.check_failed, ended.limit);
      !added) {
    errors_ = added.errors();
    store_failed_ = true;
    return;
  }
  add_to(summary_, ended.status, ended.check_failed);
  if (request_.end) request_.end(pending, ended);
}

Result<SweepSummary> SweepQueue::run() {
  PointRuns runs;
  runs.jobs = request_.jobs;
  runs.memory = request_.memory;
  runs.in_order = false;
  runs.take_concurrently = true;
  runs.clock = request_.runs.clock;
  runs.bound = [this](std::size_t at, Point& point, const ir::Program& code) {
    spent_[at] = request_.runs.clock() - spent_[at];
    // Points share inputs, so reading them is no point's own work.
    point.options.limits.check = [this] { return asked(); };
    return request_.runs.add_inputs ? request_.runs.add_inputs(code, point) : Done{};
  };
  runs.begin = [this](std::size_t at, Point& point) {
    set_deadline(point, request_.runs, spent_[at]);
    // What cannot be stored need not be run.
    point.options.limits.check = [this, check = point.options.limits.check] {
      return store_failed_ ? Stop::interrupted : check();
    };
    if (request_.begin) request_.begin(pending_at(at), planned_[at]->label);
  };
  run_points({pending_.points.size(), [this](std::size_t at) { return point(at); }}, sources_, runs,
             [this](std::size_t at, PointResult result) { take(at, std::move(result)); });
  if (store_failed_) return errors_;
  return summary_;
}

} // namespace

EndedPoint ended_as(const PointResult& result, const PointLimits& limits) {
  EndedPoint ended;
  const RunResult& run = result.run;
  ended.stop = run.stop;
  ended.status = run.stop == Stop::none    ? PointStatus::done
                 : run.stop == Stop::error ? PointStatus::failed
                                           : PointStatus::stopped;
  ended.check_failed =
      run.stop == Stop::none && (run.verify == Verdict::failed || failed_claim(result.claims));
  ended.limit = limits.text_of(run.stop);
  return ended;
}

void add_to(SweepSummary& summary, PointStatus status, bool check_failed) {
  ++summary.run;
  summary.check_failed += check_failed ? 1 : 0;
  summary.stopped += status == PointStatus::stopped ? 1 : 0;
  summary.failed += status == PointStatus::failed ? 1 : 0;
}

EndedPoint run_planned(const Plan& plan, std::int64_t number, const SweepRuns& runs,
                       const Sources& sources) {
  const PlannedPoint planned = plan.point(number);
  Point point = point_to_run(planned, runs);
  PointResult result;
  const auto fail = [&](const Diagnostics& errors) {
    const Stop stop = stop_of(errors);
    result.run.stop = stop == Stop::none ? Stop::error : stop;
    result.run.errors = errors;
    return ended_point(planned, number, result, runs);
  };
  const double bound = runs.clock();
  point.options.limits.check = check_of_binding(runs.limits.run.check, runs, bound);
  Result<ir::Program> code = bind_point(point, sources);
  const double spent = runs.clock() - bound;
  point.options.limits.check = runs.limits.run.check;
  if (!code) return fail(code.errors());
  if (runs.add_inputs)
    if (Status ready = runs.add_inputs(*code, point); !ready) return fail(ready.errors());
  point.code = std::make_shared<const ir::Program>(std::move(*code));
  set_deadline(point, runs, spent);
  const double begun = runs.clock();
  result = run_point(point, sources);
  result.seconds = runs.clock() - begun;
  return ended_point(planned, number, result, runs);
}

Result<SweepSummary> run_sweep(const Plan& plan, const Pending& pending, PointOrder& order,
                               Store& store, const SweepRequest& request, const Sources& sources) {
  return run_sweeps({{request.runs.sweep, &plan}}, pending, order, store, request, sources);
}

Result<SweepSummary> run_sweeps(const std::vector<NamedPlan>& plans, const Pending& pending,
                                PointOrder& order, Store& store, const SweepRequest& request,
                                const Sources& sources) {
  return SweepQueue(plans, pending, order, store, request, sources).run();
}

} // namespace memlane::sweep
