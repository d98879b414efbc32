#include "memlane/measure/fit.hpp"

#include "fit_problem.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>

namespace memlane::measure {
namespace {

/// Whether some used point's time changes when the parameter goes from end to end of what GPUs
/// have, the others being where the search begins.
bool has_influence(const FitProblem& problem, const ParameterInfo& info,
                   const ParameterValues& start) {
  if (info.parameter == Parameter::unit) return true;
  if (info.parameter == Parameter::launch)
    return std::any_of(problem.used.begin(), problem.used.end(),
                       [&](std::size_t i) { return problem.points[i].launches > 0; });
  ParameterValues low = start, high = start;
  at(low, info.parameter) = info.lo;
  at(high, info.parameter) = std::min(info.hi, 1024.0);
  const std::vector<double> here = exact_units(problem, start);
  return here != exact_units(problem, low) || here != exact_units(problem, high);
}

/// A search from where the request begins, and, since the loss may have several valleys, from the
/// middle of what was not searched: the better of the two.
ParameterValues search_all(const FitProblem& problem, const FitRequest& request) {
  const int most = request.max_evaluations;
  const ParameterValues first = search(problem, request.values, most, request.progress);
  ParameterValues middle = request.values;
  bool several = false;
  for (const ParameterInfo& info : parameters()) {
    if (!info.whole || !is_free(problem, info.parameter)) continue;
    several = true;
    at(middle, info.parameter) = info.parameter == Parameter::global_latency ? 300 : 8;
  }
  if (!several || problem.times.stopped()) return first;
  const ParameterValues second = search(problem, middle, most / 2, request.progress);
  return loss_at(problem, second) < loss_at(problem, first) ? second : first;
}

/// From least squares, which find the valley, to Huber's loss: where no residual is beyond its
/// bend, the two are the same. The bend is estimated anew at each result until it stands: the first
/// one is too wide where outliers have drawn all others after them.
ParameterValues search_robust(FitProblem& problem, const FitRequest& request,
                              const ParameterValues& squares) {
  ParameterValues values = squares;
  for (int round = 0; round < 30 && !problem.times.stopped(); ++round) {
    const double before = problem.bend;
    problem.bend = std::min(before, bend_of(problem, values));
    if (problem.bend > 0.99 * before) break;
    values = search_near(problem, values);
    if (round == 2) values = search(problem, values, request.max_evaluations / 2, request.progress);
  }
  return values;
}

/// In relative residuals, each point alike: 1 less the part of the measured times' own scatter that
/// is left.
std::optional<double> determination(const FitProblem& problem, double squares) {
  double weights = 0, weighted = 0;
  for (std::size_t point : problem.used) {
    weights += 1 / (problem.points[point].ns * problem.points[point].ns);
    weighted += 1 / problem.points[point].ns;
  }
  const double mean = weighted / weights;
  double scatter = 0;
  for (std::size_t point : problem.used) {
    const double relative = 1 - mean / problem.points[point].ns;
    scatter += relative * relative;
  }
  return scatter > 0 ? std::optional(1 - squares / scatter) : std::nullopt;
}

FittedPoint fitted(const FitPoint& point, double units, const ParameterValues& values) {
  const double ns =
      at(values, Parameter::unit) * units + at(values, Parameter::launch) * point.launches;
  return {units, ns, (ns - point.ns) / point.ns, 1};
}

/// The weight of a point in the last round of reweighting.
double weight_of(double scale, double relative, double bend) {
  return scale * scale * std::min(1.0, bend / std::max(std::abs(scale * relative), 1e-300));
}

std::size_t free_count(const FitProblem& problem) {
  return static_cast<std::size_t>(std::count(problem.free.begin(), problem.free.end(), true));
}

/// Fits the other programs and holds the result against the points of this one.
LeftOutGroup leave_out(const FitProblem& problem, const std::string& group,
                       const ParameterValues& start) {
  FitProblem others{problem.points, {}, problem.free, problem.times, problem.scales, problem.bend};
  std::vector<std::size_t> own;
  for (std::size_t point : problem.used) {
    (problem.points[point].group == group ? own : others.used).push_back(point);
  }
  LeftOutGroup left{group, own.size(), std::nullopt};
  if (others.used.size() < free_count(problem) || others.used.empty()) return left;
  const ParameterValues values = search_near(others, start); // the fit of all is not far
  double squares = 0;
  for (std::size_t point : own) {
    const double units = problem.times.exact(point, knobs_of(values));
    const double relative = fitted(problem.points[point], units, values).relative;
    squares += relative * relative;
  }
  left.error = std::sqrt(squares / static_cast<double>(own.size()));
  return left;
}

std::vector<std::string> groups_of(const std::vector<FitPoint>& points) {
  std::vector<std::string> groups;
  for (const FitPoint& point : points) groups.push_back(point.group);
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

/// What the values give: estimates with intervals, and the fitted points. `standings`: of what is
/// not free in the problem.
Fit filled_in(const FitProblem& problem, const ParameterValues& values,
              const std::array<Standing, parameter_count>& standings) {
  Fit fit;
  for (std::size_t i = 0; i < parameter_count; ++i)
    fit.estimates[i] = {parameters()[i].parameter, values[i], {}, {}, standings[i]};
  estimate_intervals(problem, values, fit);
  const std::vector<double> units = exact_units(problem, values);
  double squares = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    FittedPoint point = fitted(problem.points[i], units[i], values);
    point.weight = weight_of(problem.scales[i], point.relative, problem.bend);
    squares += point.relative * point.relative;
    fit.points.push_back(point);
  }
  fit.rms = std::sqrt(squares / static_cast<double>(units.size()));
  fit.r_squared = determination(problem, squares);
  return fit;
}

/// After the work was ended: the best place that was simulated. What the simulator takes is no
/// longer free, so that nothing more needs to be simulated.
Fit best_so_far(FitProblem problem, const ParameterValues& start,
                std::array<Standing, parameter_count> standings) {
  const ParameterValues squares = best_simulated(problem, start);
  problem.bend = std::min(problem.bend, bend_of(problem, squares));
  const ParameterValues values = best_simulated(problem, start);
  for (const ParameterInfo& info : parameters()) {
    const auto i = static_cast<std::size_t>(info.parameter);
    if (!info.whole || !problem.free[i]) continue;
    problem.free[i] = false;
    standings[i] = Standing::unfinished;
  }
  Fit fit = filled_in(problem, values, standings);
  fit.stopped = true;
  return fit;
}

void leave_out_groups(const FitProblem& problem, const FitRequest& request, Fit& fit) {
  const std::vector<std::string> groups = groups_of(problem.points);
  for (std::size_t i = 0; i < groups.size() && groups.size() > 1; ++i) {
    if (request.progress) request.progress({"leaving out programs", i, groups.size()});
    LeftOutGroup left = leave_out(problem, groups[i], fit.values());
    if (problem.times.stopped()) return;
    fit.left_out.push_back(std::move(left));
  }
}

Diagnostic too_few(std::size_t points, std::size_t free) {
  return error_in("",
                  fmt::format("{} point{} cannot determine {} free parameters", points,
                              plural_s(static_cast<std::int64_t>(points)), free),
                  {"measure at least as many points, of several programs and sizes",
                   "--fix NAME=VALUE holds a parameter, --free NAMES leaves only these free"});
}

} // namespace

const std::array<ParameterInfo, parameter_count>& parameters() {
  static constexpr std::array<ParameterInfo, parameter_count> table = {{
      {Parameter::unit, "unit", "ns", 1e-6, 1e9, false, "nanoseconds of a time unit"},
      {Parameter::launch, "launch", "ns", 0, 1e9, false, "nanoseconds of a launch"},
      {Parameter::shared_latency, "l", "time units", 1, 1024, true, "latency of shared memory"},
      {Parameter::global_latency, "L", "time units", 1, 8192, true, "latency of global memory"},
      {Parameter::ports, "ports", "stages a unit", 1, 256, true, "ports of global memory"},
  }};
  return table;
}

std::string_view name_of(Standing standing) {
  switch (standing) {
  case Standing::free: return "free";
  case Standing::fixed: return "fixed";
  case Standing::idle: return "no point depends on it";
  case Standing::unfinished: return "best so far";
  case Standing::undetermined: return "not told apart from the others";
  case Standing::at_least: return "at its least";
  case Standing::at_most: return "at its greatest";
  }
  return "";
}

ParameterValues Fit::values() const {
  ParameterValues values{};
  for (const Estimate& estimate : estimates) at(values, estimate.parameter) = estimate.value;
  return values;
}

Result<Fit> fit(const std::vector<FitPoint>& points, const FitRequest& request,
                const TimeAt& time_at) {
  FitTimes times(points.size(), time_at);
  const std::vector<double> scales = scales_of(points);
  FitProblem problem{points,  std::vector<std::size_t>(points.size()), request.free, times, scales,
                     INFINITY};
  std::iota(problem.used.begin(), problem.used.end(), std::size_t{0});
  static_cast<void>(
      exact_units(problem, request.values)); // what is known at least, should the work be ended
  Fit none;
  none.stopped = times.stopped();
  if (none.stopped) return none;
  std::array<Standing, parameter_count> standings{};
  for (const ParameterInfo& info : parameters()) {
    const auto i = static_cast<std::size_t>(info.parameter);
    if (!problem.free[i]) standings[i] = Standing::fixed;
    if (!problem.free[i] || points.empty()) continue;
    if (has_influence(problem, info, request.values) || times.stopped()) continue;
    problem.free[i] = false;
    standings[i] = Standing::idle;
  }
  if (points.empty() || points.size() < free_count(problem))
    return too_few(points.size(), free_count(problem));
  if (times.stopped()) return best_so_far(problem, request.values, standings);

  const ParameterValues values = search_robust(problem, request, search_all(problem, request));
  if (times.stopped()) return best_so_far(problem, request.values, standings);
  Fit fit = filled_in(problem, values, standings);
  if (times.stopped()) return best_so_far(problem, request.values, standings);
  leave_out_groups(problem, request, fit);
  fit.stopped = times.stopped();
  return fit;
}

} // namespace memlane::measure
