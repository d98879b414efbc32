#include "memlane/sweep/estimate.hpp"

#include "power_law.hpp"

#include <algorithm>
#include <vector>

namespace memlane::sweep {
namespace {

using Runs = std::vector<TimedPoint>;

/// Runs points of each program with growing weights, the lightest first, until the trial's seconds
/// are over.
void add_trials(const Plan& plan, const Pending& pending, const SweepRuns& runs, double trial,
                const Sources& sources, std::vector<Runs>& known) {
  constexpr float step = 4;
  const double end = runs.clock() + trial;
  std::vector<float> next(known.size(), 0); // the least weight that tells more
  SweepRuns short_runs = runs;
  for (auto point = pending.points.rbegin(); point != pending.points.rend(); ++point) {
    const auto program = static_cast<std::size_t>(point->program);
    if (point->weight < next[program]) continue;
    if (runs.clock() >= end) return;
    next[program] = step * point->weight;
    short_runs.limits.seconds = std::max(1e-3, end - runs.clock());
    const EndedPoint ended = run_planned(plan, point->number, short_runs, sources);
    if (ended.status == PointStatus::done)
      known[program].push_back({point->program, point->weight, ended.stored.seconds});
  }
}

} // namespace

WorkEstimate estimate_work(const Plan& plan, const Pending& pending, const SweepRuns& runs,
                           double trial, const Sources& sources) {
  WorkEstimate estimate;
  constexpr std::size_t bound = 64;
  for (std::size_t k = 0; k < std::min(bound, pending.points.size()); ++k) {
    PlannedPoint planned = plan.point(pending.points[k].number);
    planned.point.options.limits = runs.limits.run;
    const Result<ir::Program> code = bind_point(planned.point, sources);
    if (!code) continue;
    const std::int64_t bytes = bytes_of_point(planned.point, *code);
    if (bytes <= estimate.bytes) continue;
    estimate.bytes = bytes;
    estimate.largest = planned.label;
  }
  std::vector<Runs> known(pending.programs.size());
  for (const TimedPoint& run : pending.timed)
    known[static_cast<std::size_t>(run.program)].push_back(run);
  add_trials(plan, pending, runs, trial, sources, known);
  std::vector<std::optional<PowerLaw>> laws;
  for (const Runs& timed : known) {
    estimate.from_runs += static_cast<std::int64_t>(timed.size());
    laws.push_back(timed.empty() ? std::nullopt : std::optional(fitted_law(timed)));
  }
  double seconds = 0;
  for (const PendingPoint& point : pending.points) {
    const auto& law = laws[static_cast<std::size_t>(point.program)];
    if (!law) return estimate; // a program of which nothing is known
    seconds += law->at(static_cast<double>(point.weight));
  }
  estimate.seconds = seconds;
  return estimate;
}

} // namespace memlane::sweep
