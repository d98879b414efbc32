#include "memlane/sweep/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace memlane::sweep {
namespace {

/// The seconds of a program's runs as factor * weight^power.
struct PowerLaw {
  double factor = 0, power = 1;

  double at(double weight) const { return factor * std::pow(weight, power); }
};

using Runs = std::vector<TimedPoint>;

/// Least squares in logarithms over the runs that last long enough to be timed. The power is fitted
/// only where their weights differ enough; else the seconds are taken to grow with the weight.
PowerLaw fit(const Runs& runs) {
  constexpr double timed = 5e-3, enough = 4, steepest = 3;
  const auto slower = [](const TimedPoint& a, const TimedPoint& b) {
    return a.seconds < b.seconds;
  };
  const TimedPoint& longest = *std::max_element(runs.begin(), runs.end(), slower);
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, count = 0;
  for (const TimedPoint& run : runs) {
    if (run.seconds < timed) continue;
    mean_x += std::log(static_cast<double>(run.weight));
    mean_y += std::log(run.seconds);
    ++count;
  }
  mean_x /= std::max(count, 1.0);
  mean_y /= std::max(count, 1.0);
  double least = INFINITY;
  for (const TimedPoint& run : runs) {
    if (run.seconds < timed) continue;
    const double x = std::log(static_cast<double>(run.weight)) - mean_x;
    xx += x * x;
    xy += x * (std::log(run.seconds) - mean_y);
    least = std::min(least, static_cast<double>(run.weight));
  }
  PowerLaw law;
  if (count >= 2 && longest.weight >= enough * least)
    law.power = std::clamp(xy / xx, 0.0, steepest);
  law.factor = longest.seconds / std::pow(longest.weight, law.power);
  return law;
}

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
    laws.push_back(timed.empty() ? std::nullopt : std::optional(fit(timed)));
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
