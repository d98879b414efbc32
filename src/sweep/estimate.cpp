#include "memlane/sweep/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace memlane::sweep {
namespace {

/// The seconds of a program's runs as factor * weight^power.
struct PowerLaw {
  double factor = 0, power = 1;

  double at(double weight) const { return factor * std::pow(weight, power); }
};

using Runs = std::vector<TimedPoint>;

/// Least squares in logarithms. The power is fitted only where the weights differ enough, and stays
/// between constant time and the square: few points must not promise a wild one.
PowerLaw fit(const Runs& runs) {
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
  double least = INFINITY, greatest = 0;
  const auto n = static_cast<double>(runs.size());
  for (const TimedPoint& run : runs) {
    mean_x += std::log(static_cast<double>(run.weight)) / n;
    mean_y += std::log(std::max(run.seconds, 1e-6)) / n;
    least = std::min(least, static_cast<double>(run.weight));
    greatest = std::max(greatest, static_cast<double>(run.weight));
  }
  for (const TimedPoint& run : runs) {
    const double x = std::log(static_cast<double>(run.weight)) - mean_x;
    xx += x * x;
    xy += x * (std::log(std::max(run.seconds, 1e-6)) - mean_y);
  }
  constexpr double enough = 8;
  PowerLaw law;
  if (runs.size() >= 3 && greatest >= enough * least) law.power = std::clamp(xy / xx, 0.0, 2.0);
  law.factor = std::exp(mean_y - law.power * mean_x);
  return law;
}

/// Runs light points of each program in turn until the trial's seconds are over.
void add_trials(const Plan& plan, const Pending& pending, const SweepRuns& runs, double trial,
                const Sources& sources, std::map<std::string, Runs>& known) {
  constexpr std::size_t enough = 6, looked_at = 200;
  const double end = runs.clock() + trial;
  SweepRuns short_runs = runs;
  std::size_t looked = 0;
  for (auto point = pending.points.rbegin(); point != pending.points.rend(); ++point) {
    if (runs.clock() >= end || ++looked > looked_at) return;
    Runs& of_program = known[plan.point(point->number).program];
    if (of_program.size() >= enough) continue;
    short_runs.limits.seconds = std::max(1e-3, end - runs.clock());
    const EndedPoint ended = run_planned(plan, point->number, short_runs, sources);
    if (ended.status == PointStatus::done)
      of_program.push_back({{}, point->weight, ended.stored.seconds});
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
  std::map<std::string, Runs> known;
  for (const TimedPoint& run : pending.timed) known[run.program].push_back(run);
  add_trials(plan, pending, runs, trial, sources, known);
  std::map<std::string, PowerLaw> laws;
  for (const auto& [program, timed] : known) {
    estimate.from_runs += static_cast<std::int64_t>(timed.size());
    if (!timed.empty()) laws[program] = fit(timed);
  }
  double seconds = 0;
  for (const PendingPoint& point : pending.points) {
    const auto law = laws.find(plan.point(point.number).program);
    if (law == laws.end()) return estimate; // a program of which nothing is known
    seconds += law->second.at(point.weight);
  }
  estimate.seconds = seconds;
  return estimate;
}

} // namespace memlane::sweep
