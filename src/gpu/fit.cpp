#include "memlane/gpu/fit.hpp"

#include "fit_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>

namespace memlane::gpu {
namespace {

/// Whether some used point's time changes when the parameter goes from end to end of what GPUs
/// have, the others being where the search begins.
bool has_influence(const FitProblem& problem, const ParameterInfo& info,
                   const ParameterValues& start) {
  ParameterValues low = start, high = start;
  at(low, info.parameter) = info.lo;
  at(high, info.parameter) = std::min(info.hi, 1024.0);
  const std::vector<double> here = exact_units(problem, start);
  return here != exact_units(problem, low) || here != exact_units(problem, high);
}

/// A search from where the request begins, and, since the sum of squares may have several valleys,
/// from the middle of what was not searched: the better of the two.
ParameterValues search_all(const FitProblem& problem, const FitRequest& request) {
  const ParameterValues first = search(problem, request.values, request.max_evaluations);
  ParameterValues middle = request.values;
  bool several = false;
  for (const ParameterInfo& info : parameters()) {
    if (!info.whole || !is_free(problem, info.parameter)) continue;
    several = true;
    at(middle, info.parameter) = info.parameter == Parameter::global_latency ? 300 : 8;
  }
  if (!several || problem.times.stopped()) return first;
  const ParameterValues second = search(problem, middle, request.max_evaluations / 2);
  return sum_of_squares(problem, second) < sum_of_squares(problem, first) ? second : first;
}

/// Weighted as the fit is: 1 less the part of the measured times' own scatter that is left.
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
  return {units, ns, (ns - point.ns) / point.ns};
}

std::size_t free_count(const FitProblem& problem) {
  return static_cast<std::size_t>(std::count(problem.free.begin(), problem.free.end(), true));
}

/// Fits the other programs and holds the result against the points of this one.
LeftOutGroup leave_out(const FitProblem& problem, const std::string& group,
                       const ParameterValues& start) {
  FitProblem others{problem.points, {}, problem.free, problem.times};
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

void fill_in(const FitProblem& problem, const ParameterValues& values, Fit& fit) {
  for (const ParameterInfo& info : parameters()) {
    Estimate& estimate = fit.estimates[static_cast<std::size_t>(info.parameter)];
    estimate.parameter = info.parameter;
    estimate.value = at(values, info.parameter);
  }
  estimate_intervals(problem, values, fit);
  const std::vector<double> units = exact_units(problem, values);
  double squares = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    fit.points.push_back(fitted(problem.points[i], units[i], values));
    squares += fit.points.back().relative * fit.points.back().relative;
  }
  fit.rms = std::sqrt(squares / static_cast<double>(units.size()));
  fit.r_squared = determination(problem, squares);
}

Diagnostic too_few(std::size_t points, std::size_t free) {
  return error_in("",
                  fmt::format("{} point{} cannot determine {} free parameters", points,
                              points == 1 ? "" : "s", free),
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
  FitProblem problem{points, std::vector<std::size_t>(points.size()), request.free, times};
  std::iota(problem.used.begin(), problem.used.end(), std::size_t{0});
  Fit fit;
  for (std::size_t i = 0; i < parameter_count; ++i) {
    if (!request.free[i]) fit.estimates[i].standing = Standing::fixed;
  }
  for (const ParameterInfo& info : parameters()) {
    if (points.empty() || !info.whole || !is_free(problem, info.parameter)) continue;
    if (has_influence(problem, info, request.values)) continue;
    problem.free[static_cast<std::size_t>(info.parameter)] = false;
    fit.estimates[static_cast<std::size_t>(info.parameter)].standing = Standing::idle;
  }
  if (points.empty() || points.size() < free_count(problem))
    return too_few(points.size(), free_count(problem));

  const ParameterValues values = search_all(problem, request);
  fill_in(problem, values, fit);
  const std::vector<std::string> groups = groups_of(points);
  for (const std::string& group : groups) {
    if (groups.size() < 2) break;
    fit.left_out.push_back(leave_out(problem, group, values));
  }
  fit.stopped = times.stopped();
  return fit;
}

} // namespace memlane::gpu
