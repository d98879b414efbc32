#include "memlane/study/gpu/fit.hpp"

#include "fit_linear.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace memlane::measure {
namespace {

// --- The search of the simulator's parameters

/// The free parameters of the simulator.
std::vector<Parameter> searched(const FitProblem& problem) {
  std::vector<Parameter> all;
  for (const ParameterInfo& info : parameters())
    if (info.simulated && problem.free[info.parameter]) all.push_back(info.parameter);
  return all;
}

std::int64_t within_bounds(const ParameterInfo& info, std::int64_t value) {
  return std::clamp(value, static_cast<std::int64_t>(info.lower),
                    static_cast<std::int64_t>(info.upper));
}

/// The timing with all combinations of these values of its free parameters.
template <class Values>
std::vector<MemoryTiming> combinations(const FitProblem& problem, const MemoryTiming& timing,
                                       const Values& values_of) {
  std::vector<MemoryTiming> all = {timing};
  for (const Parameter p : searched(problem)) {
    const ParameterInfo& info = info_of(p);
    std::vector<MemoryTiming> next;
    for (MemoryTiming combined : all) {
      for (const std::int64_t value : values_of(info)) {
        combined.*info.simulated = within_bounds(info, value);
        next.push_back(combined);
      }
    }
    all = std::move(next);
  }
  return all;
}

/// All points' time units at every timing that was tried.
class TriedTimings {
public:
  explicit TriedTimings(const SimulateTimings& simulate) : simulate_(simulate) {}

  /// Simulates those of the timings that were not tried yet. False: the work was stopped.
  bool add(const std::vector<MemoryTiming>& timings) {
    std::set<MemoryTiming> fresh;
    for (const MemoryTiming& timing : timings)
      if (!units_.contains(timing)) fresh.insert(timing);
    if (fresh.empty()) return true;
    const std::vector<MemoryTiming> wanted(fresh.begin(), fresh.end());
    std::vector<std::vector<double>> units = simulate_(wanted);
    for (std::size_t i = 0; i < units.size(); ++i) units_[wanted[i]] = std::move(units[i]);
    return units.size() == wanted.size();
  }

  const std::vector<double>& units(const MemoryTiming& timing) const { return units_.at(timing); }

  std::vector<MemoryTiming> timings() const {
    std::vector<MemoryTiming> all;
    for (const auto& [timing, units] : units_) all.push_back(timing);
    return all;
  }
  /// Those that have the values of `held` in what the problem does not search.
  std::vector<MemoryTiming> timings(const FitProblem& problem, const MemoryTiming& held) const {
    std::vector<MemoryTiming> all;
    for (const auto& [timing, units] : units_) {
      bool agrees = true;
      for (const ParameterInfo& info : parameters())
        agrees = agrees && (!info.simulated || problem.free[info.parameter] ||
                            timing.*info.simulated == held.*info.simulated);
      if (agrees) all.push_back(timing);
    }
    return all;
  }

  /// The costs of least loss at the best of these timings, as far as they were simulated.
  CostSolution best(const FitProblem& problem, const std::vector<MemoryTiming>& timings) const {
    CostSolution best;
    for (const MemoryTiming& timing : timings) {
      if (!units_.contains(timing)) continue;
      CostSolution costs = solve_costs(problem, units_.at(timing));
      costs.timing = timing;
      if (costs.loss < best.loss) best = std::move(costs);
    }
    return best;
  }

  /// Whether any point's time differs between timings that differ in this parameter alone; one of
  /// them has the value of `start`. If not, keeps only the timings with this value.
  bool has_influence(const ParameterInfo& info, const MemoryTiming& start) {
    for (const auto& [timing, units] : units_) {
      MemoryTiming other = timing;
      other.*info.simulated = start.*info.simulated;
      if (units != units_.at(other)) return true;
    }
    std::erase_if(units_, [&](const auto& tried) {
      return tried.first.*info.simulated != start.*info.simulated;
    });
    return false;
  }

private:
  const SimulateTimings& simulate_;
  std::map<MemoryTiming, std::vector<double>> units_;
};

/// The timing in time units that are `factor` times as long: more ports and shorter latencies, in
/// whole numbers.
MemoryTiming in_units(const FitProblem& problem, MemoryTiming timing, double factor) {
  for (const Parameter p : searched(problem)) {
    const ParameterInfo& info = info_of(p);
    const auto value = static_cast<double>(timing.*info.simulated);
    timing.*info.simulated =
        within_bounds(info, std::llround(p == Parameter::ports ? value * factor : value / factor));
  }
  return timing;
}

/// Adds timings for other lengths of the time unit, such as that at which one latency is the next
/// whole number. Latencies and unit change together, which costs little if few points depend on
/// the ports.
void add_other_units(const FitProblem& problem, const MemoryTiming& timing, double factor,
                     std::vector<MemoryTiming>& all) {
  std::vector<double> factors = {factor, 1 / factor};
  for (const Parameter p : searched(problem)) {
    const std::int64_t value = timing.*info_of(p).simulated;
    for (const std::int64_t other : {value - 1, value + 1})
      if (other > 0) factors.push_back(static_cast<double>(value) / static_cast<double>(other));
  }
  for (const double own : factors) all.push_back(in_units(problem, timing, own));
}

/// From `best` on: the timing between whose neighbours, a factor away in each free parameter, no
/// better one lies; then the square root of the factor, until the neighbours are the next integers.
/// Every combination of neighbours is tried, because a latency, the ports and the unit can make up
/// for each other. Huber's threshold follows the residuals until it is stable: outliers pull the
/// first results towards them, which makes their thresholds too wide. `stopped`: the best so far.
CostSolution search(FitProblem& problem, TriedTimings& tried, CostSolution best, double factor,
                    bool& stopped) {
  for (int round = 0; round < 100; ++round) {
    const double threshold = std::min(problem.threshold, threshold_of(problem, best));
    const bool settled = threshold > 0.99 * problem.threshold;
    if (!settled) problem.threshold = threshold;
    bool smallest = true;
    std::vector<MemoryTiming> around =
        combinations(problem, best.timing, [&](const ParameterInfo& info) {
          const std::int64_t here = best.timing.*info.simulated;
          const auto value = static_cast<double>(here);
          const std::int64_t up = std::max<std::int64_t>(here + 1, std::llround(value * factor));
          const std::int64_t down = std::min<std::int64_t>(here - 1, std::llround(value / factor));
          smallest = smallest && up == here + 1 && down == here - 1;
          return std::array{here, up, down};
        });
    if (!problem.free[Parameter::ports]) add_other_units(problem, best.timing, factor, around);
    stopped = stopped || !tried.add(around);
    CostSolution next = tried.best(problem, settled ? around : tried.timings(problem, best.timing));
    const bool moved = next.timing != best.timing;
    best = std::move(next);
    if (stopped && settled) break;
    if (moved || !settled) continue;
    if (smallest) break;
    factor = std::sqrt(factor);
  }
  return best;
}

/// Repeats the search with other numbers of ports until the loss no longer falls. One search stops
/// too early: between one port and two, in units half as long, all timings are worse.
CostSolution search_all(FitProblem& problem, TriedTimings& tried, bool& stopped) {
  const double near = std::sqrt(2.0);
  CostSolution best =
      search(problem, tried, tried.best(problem, tried.timings()), std::sqrt(8.0), stopped);
  while (!stopped && problem.free[Parameter::unit] && problem.free[Parameter::ports]) {
    const auto own = static_cast<double>(best.timing.ports);
    for (const double ports : {2 * own, own + 1, own - 1, own / 2}) {
      const MemoryTiming beside = in_units(problem, best.timing, std::max(ports, 1.0) / own);
      if (beside.ports == best.timing.ports || stopped) continue;
      FitProblem held = problem;
      held.free[Parameter::ports] = false;
      stopped = !tried.add({beside});
      search(held, tried, tried.best(held, {beside}), near, stopped);
    }
    CostSolution next = tried.best(problem, tried.timings());
    if (stopped || !(next.loss < best.loss)) break;
    best = search(problem, tried, std::move(next), near, stopped);
  }
  return best;
}

// --- The result

double root_mean_square(const std::vector<double>& values) {
  const double squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

std::size_t free_count(const FitProblem& problem) {
  return static_cast<std::size_t>(std::count(problem.free.begin(), problem.free.end(), true));
}

/// Fits the other programs and predicts the points of this one. Chooses among the timings that the
/// search tried: many of them are near the fit to all programs.
LeftOutProgram leave_out(FitProblem problem, const std::string& program,
                         const TriedTimings& tried) {
  LeftOutProgram left{program, 0, std::nullopt};
  for (std::size_t i = 0; i < problem.points.size(); ++i) {
    if (problem.points[i].program != program) continue;
    problem.scales[i] = 0;
    ++left.points;
  }
  const std::size_t others = problem.points.size() - left.points;
  if (others < free_count(problem) || others == 0) return left;
  const CostSolution costs = tried.best(problem, tried.timings());
  std::vector<double> errors;
  for (std::size_t i = 0; i < problem.points.size(); ++i)
    if (problem.scales[i] == 0) errors.push_back(costs.residuals[i]);
  left.rms_error = root_mean_square(errors);
  return left;
}

/// How each point's predicted nanoseconds change with the free parameters. Central differences in
/// those of the simulator, with steps of 1/16 of the value, because the addition of single stages
/// would dominate smaller ones. None if the work was stopped.
std::optional<PerParameter<std::vector<double>>>
changes_of(const FitProblem& problem, const CostSolution& costs, TriedTimings& tried) {
  PerParameter<std::vector<double>> changes;
  changes[Parameter::unit] = tried.units(costs.timing);
  for (const FitPoint& point : problem.points) changes[Parameter::launch].push_back(point.launches);
  const auto moved = [&](Parameter p, int sign) {
    MemoryTiming timing = costs.timing;
    std::int64_t& value = timing.*info_of(p).simulated;
    value = within_bounds(info_of(p), value + sign * std::max<std::int64_t>(1, (value + 8) / 16));
    return timing;
  };
  std::vector<MemoryTiming> wanted;
  for (const Parameter p : searched(problem))
    wanted.insert(wanted.end(), {moved(p, -1), moved(p, 1)});
  if (!tried.add(wanted)) return std::nullopt;
  for (const Parameter p : searched(problem)) {
    const MemoryTiming low = moved(p, -1), high = moved(p, 1);
    const auto member = info_of(p).simulated;
    const double step = static_cast<double>(high.*member - low.*member) / costs.unit;
    for (std::size_t i = 0; i < problem.points.size(); ++i)
      changes[p].push_back((tried.units(high)[i] - tried.units(low)[i]) / step);
  }
  return changes;
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
  using enum Parameter;
  using M = MemoryTiming;
  static constexpr PerParameter<ParameterInfo> table = {{
      {unit, "unit", "ns", 1e-6, 1e9, nullptr, 0, "nanoseconds of a time unit"},
      {launch, "launch", "ns", 0, 1e9, nullptr, 0, "nanoseconds of a launch"},
      {shared_latency, "l", "time units", 1, 1024, &M::shared_latency, 4,
       "latency of shared memory"},
      {global_latency, "L", "time units", 1, 8192, &M::global_latency, 32,
       "latency of global memory"},
      {ports, "ports", "stages a unit", 1, 256, &M::ports, 1, "ports of global memory"},
  }};
  return table;
}

MemoryTiming timing_of(const ParameterValues& values) {
  MemoryTiming timing;
  for (const ParameterInfo& info : parameters())
    if (info.simulated) timing.*info.simulated = std::llround(values[info.parameter]);
  return timing;
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

Result<Fit> fit(const std::vector<FitPoint>& points, const PerParameter<bool>& free,
                const ParameterValues& start, const SimulateTimings& simulate) {
  FitProblem problem(points, free, start);
  if (points.empty()) return too_few(0, free_count(problem));
  TriedTimings tried(simulate);
  Fit fit;
  const MemoryTiming first = timing_of(start);
  // If the fit stops early, at least these times are known.
  fit.stopped = !tried.add({first});
  if (fit.stopped) return fit;
  fit.stopped = !tried.add(combinations(problem, first, [&](const ParameterInfo& info) {
    return std::array{first.*info.simulated, info.first, 8 * info.first, 64 * info.first};
  }));
  for (const ParameterInfo& info : parameters()) {
    const Parameter p = info.parameter;
    fit.estimates[p] = {p, start[p], {}, {}, EstimateStatus::fixed};
    if (!free[p] || p == Parameter::unit || (info.simulated && fit.stopped)) continue;
    problem.free[p] = info.simulated ? tried.has_influence(info, first)
                                     : std::any_of(points.begin(), points.end(),
                                                   [](auto& point) { return point.launches > 0; });
    if (!problem.free[p]) fit.estimates[p].status = EstimateStatus::no_influence;
  }
  const auto hold_the_best = [&] {
    fit.stopped = true;
    for (const Parameter p : searched(problem)) {
      problem.free[p] = false;
      fit.estimates[p].status = EstimateStatus::unfinished;
    }
  };
  if (fit.stopped) hold_the_best();
  if (points.size() < free_count(problem)) {
    if (fit.stopped) return fit;
    return too_few(points.size(), free_count(problem));
  }

  const CostSolution costs = search_all(problem, tried, fit.stopped);
  auto changes = fit.stopped ? std::nullopt : changes_of(problem, costs, tried);
  if (!changes) {
    hold_the_best();
    changes = changes_of(problem, costs, tried);
  }
  fit.estimates[Parameter::unit].value = costs.unit;
  fit.estimates[Parameter::launch].value = costs.launch;
  for (const ParameterInfo& info : parameters())
    if (info.simulated)
      fit.estimates[info.parameter].value = static_cast<double>(costs.timing.*info.simulated);
  estimate_intervals(problem, costs, *changes, fit);
  fit.rms = root_mean_square(costs.residuals);
  for (std::size_t i = 0; i < points.size(); ++i)
    fit.points.push_back({tried.units(costs.timing)[i], points[i].ns * (1 + costs.residuals[i]),
                          costs.residuals[i], weight_of(problem, i, costs.residuals[i])});
  std::set<std::string> programs;
  for (const FitPoint& point : points) programs.insert(point.program);
  if (programs.size() > 1)
    for (const std::string& program : programs)
      fit.left_out.push_back(leave_out(problem, program, tried));
  return fit;
}

} // namespace memlane::measure
