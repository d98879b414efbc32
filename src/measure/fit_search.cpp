#include "fit_problem.hpp"

#include <nlopt.h>

#include <algorithm>
#include <memory>

namespace memlane::measure {
namespace {

struct Destroy {
  void operator()(nlopt_opt search) const { nlopt_destroy(search); }
};
using Search = std::unique_ptr<std::remove_pointer_t<nlopt_opt>, Destroy>;

/// The objective function's data. NLopt searches the logarithms of the simulator's parameters,
/// because latencies range from a few units to thousands.
struct Objective {
  const FitProblem& problem;
  std::vector<Parameter> searched;
  ParameterValues values;
  nlopt_opt search = nullptr;
  FitProgress progress = {"searching", 0, 0};
  const std::function<void(const FitProgress&)>* report = nullptr;

  void set(const double* x) {
    for (std::size_t i = 0; i < searched.size(); ++i) {
      const ParameterInfo& info = info_of(searched[i]);
      values[searched[i]] = std::clamp(std::exp(x[i]), info.lower, info.upper);
    }
  }
};

double evaluate(unsigned, const double* x, double*, void* data) {
  auto& objective = *static_cast<Objective*>(data);
  objective.set(x);
  ++objective.progress.done;
  if (objective.report && *objective.report) (*objective.report)(objective.progress);
  std::vector<double> units;
  for (std::size_t point : objective.problem.used) {
    units.push_back(objective.problem.times.interpolated(point, objective.values));
  }
  if (objective.problem.times.stopped()) nlopt_force_stop(objective.search);
  return solve_linear(objective.problem, units, objective.values).loss;
}

/// BOBYQA [Powell 2009] needs few simulations, because it interpolates the loss by a quadratic, but
/// at least two parameters; Subplex searches a single one.
void search_continuous(Objective& objective, int max_evaluations) {
  const std::size_t count = objective.searched.size();
  const Search search(
      nlopt_create(count > 1 ? NLOPT_LN_BOBYQA : NLOPT_LN_SBPLX, static_cast<unsigned>(count)));
  std::vector<double> x, lo, hi;
  for (Parameter p : objective.searched) {
    lo.push_back(std::log(info_of(p).lower));
    hi.push_back(std::log(info_of(p).upper));
    x.push_back(std::clamp(std::log(objective.values[p]), lo.back(), hi.back()));
  }
  objective.search = search.get();
  nlopt_set_lower_bounds(search.get(), lo.data());
  nlopt_set_upper_bounds(search.get(), hi.data());
  nlopt_set_min_objective(search.get(), evaluate, &objective);
  nlopt_set_initial_step1(search.get(), 0.5);
  nlopt_set_xtol_abs1(search.get(), 0.02); // 2 %: the steps by integers follow
  nlopt_set_maxeval(search.get(), max_evaluations);
  double least = 0;
  // The status is ignored: x is the best point evaluated, also after an end for rounding errors.
  nlopt_optimize(search.get(), x.data(), &least);
  objective.set(x.data());
}

/// The continuous search ends near the minimum over the integers. Changes one parameter at a time,
/// by a large or a small step, as long as the loss decreases.
void search_integers(const FitProblem& problem, const std::vector<Parameter>& searched,
                     ParameterValues& values) {
  for (Parameter p : searched) values[p] = std::round(values[p]);
  double least = loss_at(problem, values);
  for (int round = 0; round < 12 && !problem.times.stopped(); ++round) {
    bool better = false;
    for (Parameter p : searched) {
      const ParameterInfo& info = info_of(p);
      const double here = values[p];
      const double large = std::max(1.0, std::floor(here / 32));
      for (double step : {large, -large, 1.0, -1.0}) {
        ParameterValues tried = values;
        tried[p] = std::clamp(here + step, info.lower, info.upper);
        const double loss = loss_at(problem, tried);
        if (loss >= least) continue;
        least = loss;
        values = tried;
        better = true;
      }
    }
    if (!better) return;
  }
}

std::vector<Parameter> searched_parameters(const FitProblem& problem) {
  std::vector<Parameter> searched;
  for (const ParameterInfo& info : parameters()) {
    if (info.is_integer && problem.free[info.parameter]) searched.push_back(info.parameter);
  }
  return searched;
}

} // namespace

std::vector<double> exact_units(const FitProblem& problem, const ParameterValues& values) {
  std::vector<double> units;
  for (std::size_t point : problem.used) {
    units.push_back(problem.times.exact(point, timing_of(values)));
  }
  return units;
}

double loss_at(const FitProblem& problem, const ParameterValues& values) {
  return solve_linear(problem, exact_units(problem, values), values).loss;
}

ParameterValues search(const FitProblem& problem, const ParameterValues& start, int max_evaluations,
                       const std::function<void(const FitProgress&)>& progress) {
  Objective objective{problem, searched_parameters(problem), start};
  objective.progress.total = static_cast<std::size_t>(max_evaluations);
  objective.report = &progress;
  if (!objective.searched.empty()) search_continuous(objective, max_evaluations);
  return search_near(problem, objective.values);
}

ParameterValues search_near(const FitProblem& problem, const ParameterValues& start) {
  ParameterValues values = start;
  search_integers(problem, searched_parameters(problem), values);
  const LinearSolution linear = solve_linear(problem, exact_units(problem, values), values);
  values[Parameter::unit] = linear.unit;
  values[Parameter::launch] = linear.launch;
  return values;
}

ParameterValues best_simulated(const FitProblem& problem, const ParameterValues& start) {
  ParameterValues best = start;
  double least = INFINITY;
  for (const MemoryTiming& timing : problem.times.simulated(problem.used)) {
    ParameterValues values = start;
    values[Parameter::shared_latency] = static_cast<double>(timing.shared_latency);
    values[Parameter::global_latency] = static_cast<double>(timing.global_latency);
    values[Parameter::ports] = static_cast<double>(timing.ports);
    const LinearSolution linear = solve_linear(problem, exact_units(problem, values), values);
    if (linear.loss >= least) continue;
    least = linear.loss;
    best = values;
    best[Parameter::unit] = linear.unit;
    best[Parameter::launch] = linear.launch;
  }
  return best;
}

} // namespace memlane::measure
