#include "memlane/measure/fit.hpp"

#include "fit_problem.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <set>

namespace memlane::measure {
namespace {

/// Whether a used point's time differs between the start, the lower bound and the upper bound of
/// the parameter (1024 is beyond any GPU), with the other parameters at the start of the search.
bool has_influence(const FitProblem& problem, const ParameterInfo& info,
                   const ParameterValues& start) {
  if (info.parameter == Parameter::unit) return true;
  if (info.parameter == Parameter::launch)
    return std::any_of(problem.used.begin(), problem.used.end(),
                       [&](std::size_t i) { return problem.points[i].launches > 0; });
  ParameterValues low = start, high = start;
  low[info.parameter] = info.lower;
  high[info.parameter] = std::min(info.upper, 1024.0);
  const std::vector<double> at_start = exact_units(problem, start);
  return at_start != exact_units(problem, low) || at_start != exact_units(problem, high);
}

/// The loss may have several local minima: searches from the request's start and from typical GPU
/// values, and returns the better result.
ParameterValues search_from_two_starts(const FitProblem& problem, const FitRequest& request) {
  const int evaluations = request.max_evaluations;
  const ParameterValues first = search(problem, request.values, evaluations, request.progress);
  ParameterValues typical = request.values;
  bool searches = false;
  for (const ParameterInfo& info : parameters()) {
    if (!info.is_integer || !problem.free[info.parameter]) continue;
    searches = true;
    typical[info.parameter] = info.parameter == Parameter::global_latency ? 300 : 8;
  }
  if (!searches || problem.times.stopped()) return first;
  const ParameterValues second = search(problem, typical, evaluations / 2, request.progress);
  return loss_at(problem, second) < loss_at(problem, first) ? second : first;
}

/// Refines a result of least squares to a minimum of Huber's loss; without residuals beyond the
/// threshold, the two are equal. Estimates the threshold again after each search until it is
/// stable: outliers pull the result of least squares towards them, so that the first threshold is
/// too wide.
ParameterValues search_robust(FitProblem& problem, const FitRequest& request,
                              const ParameterValues& least_squares) {
  ParameterValues values = least_squares;
  for (int round = 0; round < 30 && !problem.times.stopped(); ++round) {
    const double before = problem.huber_threshold;
    problem.huber_threshold = std::min(before, huber_threshold_of(problem, values));
    if (problem.huber_threshold > 0.99 * before) break;
    values = search_near(problem, values);
    if (round == 2) values = search(problem, values, request.max_evaluations / 2, request.progress);
  }
  return values;
}

/// Of the relative residuals, unweighted; the null model predicts one time for all points.
std::optional<double> r_squared_of(const FitProblem& problem, double squares) {
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

FittedPoint predict(const FitPoint& point, double units, const ParameterValues& values) {
  const double ns = values[Parameter::unit] * units + values[Parameter::launch] * point.launches;
  return {units, ns, (ns - point.ns) / point.ns, 1};
}

/// The weight of a point in the last round of reweighting.
double weight_of(double scale, double residual, double threshold) {
  return scale * scale * std::min(1.0, threshold / std::max(std::abs(scale * residual), 1e-300));
}

std::size_t free_count(const FitProblem& problem) {
  return static_cast<std::size_t>(std::count(problem.free.begin(), problem.free.end(), true));
}

/// Fits the other programs and predicts the points of this one.
LeftOutProgram leave_out(const FitProblem& problem, const std::string& program,
                         const ParameterValues& start) {
  FitProblem others{problem.points,         {}, problem.free, problem.times, problem.scales,
                    problem.huber_threshold};
  std::vector<std::size_t> own;
  for (std::size_t point : problem.used) {
    (problem.points[point].program == program ? own : others.used).push_back(point);
  }
  LeftOutProgram left{program, own.size(), std::nullopt};
  if (others.used.size() < free_count(problem) || others.used.empty()) return left;
  const ParameterValues values = search_near(others, start); // the fit to all programs is near
  double squares = 0;
  for (std::size_t point : own) {
    const double units = problem.times.exact(point, timing_of(values));
    const double residual = predict(problem.points[point], units, values).relative_residual;
    squares += residual * residual;
  }
  left.rms_error = std::sqrt(squares / static_cast<double>(own.size()));
  return left;
}

/// The result with these values: intervals of the free parameters, and the predicted points.
/// `statuses` are those of the other parameters.
Fit fit_at(const FitProblem& problem, const ParameterValues& values,
           const PerParameter<EstimateStatus>& statuses) {
  Fit fit;
  for (const ParameterInfo& info : parameters()) {
    const Parameter p = info.parameter;
    fit.estimates[p] = {p, values[p], {}, {}, statuses[p]};
  }
  estimate_intervals(problem, values, fit);
  const std::vector<double> units = exact_units(problem, values);
  double squares = 0;
  for (std::size_t i = 0; i < units.size(); ++i) {
    FittedPoint point = predict(problem.points[i], units[i], values);
    point.weight = weight_of(problem.scales[i], point.relative_residual, problem.huber_threshold);
    squares += point.relative_residual * point.relative_residual;
    fit.points.push_back(point);
  }
  fit.rms = std::sqrt(squares / static_cast<double>(units.size()));
  fit.r_squared = r_squared_of(problem, squares);
  return fit;
}

/// The result of a stopped fit: the best timing at which all used points were simulated. The
/// simulator's parameters are then fixed, because their intervals would need further simulations.
Fit best_so_far(FitProblem problem, const ParameterValues& start,
                PerParameter<EstimateStatus> statuses) {
  const ParameterValues least_squares = best_simulated(problem, start);
  problem.huber_threshold =
      std::min(problem.huber_threshold, huber_threshold_of(problem, least_squares));
  const ParameterValues values = best_simulated(problem, start);
  for (const ParameterInfo& info : parameters()) {
    const Parameter p = info.parameter;
    if (!info.is_integer || !problem.free[p]) continue;
    problem.free[p] = false;
    statuses[p] = EstimateStatus::unfinished;
  }
  Fit fit = fit_at(problem, values, statuses);
  fit.stopped = true;
  return fit;
}

void cross_validate(const FitProblem& problem, const FitRequest& request, Fit& fit) {
  std::set<std::string> programs;
  for (const FitPoint& point : problem.points) programs.insert(point.program);
  if (programs.size() < 2) return;
  for (const std::string& program : programs) {
    if (request.progress)
      request.progress({"leaving out programs", fit.left_out.size(), programs.size()});
    LeftOutProgram left = leave_out(problem, program, fit.values());
    if (problem.times.stopped()) return;
    fit.left_out.push_back(std::move(left));
  }
}

Diagnostic too_few(std::size_t points, std::size_t free) {
  return error_in("",
                  fmt::format("{} point{} cannot determine {} free parameters", points,
                              plural_s(static_cast<std::int64_t>(points)), free),
                  {"measure at least as many points, of several programs and sizes",
                   "--fix NAME=VALUE fixes a parameter, --free NAMES fits only these"});
}

} // namespace

const PerParameter<ParameterInfo>& parameters() {
  static constexpr PerParameter<ParameterInfo> table = {{
      {Parameter::unit, "unit", "ns", 1e-6, 1e9, false, "nanoseconds of a time unit"},
      {Parameter::launch, "launch", "ns", 0, 1e9, false, "nanoseconds of a launch"},
      {Parameter::shared_latency, "l", "time units", 1, 1024, true, "latency of shared memory"},
      {Parameter::global_latency, "L", "time units", 1, 8192, true, "latency of global memory"},
      {Parameter::ports, "ports", "stages a unit", 1, 256, true, "ports of global memory"},
  }};
  return table;
}

std::string_view name_of(EstimateStatus status) {
  switch (status) {
  case EstimateStatus::free: return "free";
  case EstimateStatus::fixed: return "fixed";
  case EstimateStatus::no_influence: return "no point depends on it";
  case EstimateStatus::unfinished: return "best so far";
  case EstimateStatus::undetermined: return "not told apart from the others";
  case EstimateStatus::at_lower_bound: return "at its least";
  case EstimateStatus::at_upper_bound: return "at its greatest";
  }
  return "";
}

ParameterValues Fit::values() const {
  ParameterValues values{};
  for (const Estimate& estimate : estimates) values[estimate.parameter] = estimate.value;
  return values;
}

Result<Fit> fit(const std::vector<FitPoint>& points, const FitRequest& request,
                const SimulatePoint& simulate) {
  InterpolatedTimes times(points.size(), simulate);
  const std::vector<double> scales = scales_of(points);
  FitProblem problem{points,  std::vector<std::size_t>(points.size()), request.free, times, scales,
                     INFINITY};
  std::iota(problem.used.begin(), problem.used.end(), std::size_t{0});
  // If the fit stops early, at least these times are known.
  static_cast<void>(exact_units(problem, request.values));
  Fit none;
  none.stopped = times.stopped();
  if (none.stopped) return none;
  PerParameter<EstimateStatus> statuses{};
  for (const ParameterInfo& info : parameters()) {
    const Parameter p = info.parameter;
    if (!problem.free[p]) statuses[p] = EstimateStatus::fixed;
    if (!problem.free[p] || points.empty()) continue;
    if (has_influence(problem, info, request.values) || times.stopped()) continue;
    problem.free[p] = false;
    statuses[p] = EstimateStatus::no_influence;
  }
  if (points.empty() || points.size() < free_count(problem))
    return too_few(points.size(), free_count(problem));
  if (times.stopped()) return best_so_far(problem, request.values, statuses);

  const ParameterValues values =
      search_robust(problem, request, search_from_two_starts(problem, request));
  if (times.stopped()) return best_so_far(problem, request.values, statuses);
  Fit fit = fit_at(problem, values, statuses);
  if (times.stopped()) return best_so_far(problem, request.values, statuses);
  cross_validate(problem, request, fit);
  fit.stopped = times.stopped();
  return fit;
}

} // namespace memlane::measure
