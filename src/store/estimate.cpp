#include "memlane/store/estimate.hpp"

#include "memlane/store/power_law.hpp"

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

namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

} // namespace

/// The median of slopes between pairs (Theil, Sen), then the median of factors among the heavier
/// half: a run that the system held up decides nothing. The power is fitted only to runs that last
/// long enough to be timed; without such pairs the seconds are taken to grow with the weight.
PowerLaw fitted_law(std::vector<TimedPoint> runs) {
  constexpr double timed = 2e-4, far_apart = 4, steepest = 3;
  constexpr std::size_t most = 200;
  std::sort(runs.begin(), runs.end(),
            [](const TimedPoint& a, const TimedPoint& b) { return a.weight < b.weight; });
  std::vector<TimedPoint> some;
  const std::size_t step = (runs.size() + most - 1) / most;
  for (std::size_t k = 0; k < runs.size(); k += step) some.push_back(runs[runs.size() - 1 - k]);
  std::vector<double> slopes, factors;
  for (const TimedPoint& heavy : some)
    for (const TimedPoint& light : some)
      if (light.seconds >= timed && heavy.weight >= far_apart * light.weight)
        slopes.push_back(std::log(heavy.seconds / light.seconds) /
                         std::log(static_cast<double>(heavy.weight / light.weight)));
  PowerLaw law;
  if (!slopes.empty()) law.power = std::clamp(median(std::move(slopes)), 0.0, steepest);
  for (std::size_t k = 0; k < (some.size() + 1) / 2; ++k)
    factors.push_back(some[k].seconds / std::pow(some[k].weight, law.power));
  law.factor = median(std::move(factors));
  return law;
}

} // namespace memlane::sweep
