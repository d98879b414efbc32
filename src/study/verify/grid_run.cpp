#include "grid_run.hpp"

#include "grid_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace memlane::sweep {
namespace {

/// Failed runs whose messages are kept.
constexpr std::size_t most_failures = 5;
/// Of adding lines to a grid.
constexpr int most_rounds = 6;
/// Of a setting's points, those at unusual values are one for so many others.
constexpr std::size_t part_unusual = 10;
/// Of adding points for those that turned out not to fit.
constexpr int most_refills = 4;
/// Steps that the runs of a setting may take together, for each of its points.
constexpr double steps_of_a_point = 2.5e6;
/// Runs at once whose steps may be more than those of all before.
constexpr std::size_t most_large_runs = 4;

} // namespace

void GridRun::note_failure(const GridValues& values, const Setting& setting, const PointRun& run) {
  if (result_.failures.size() >= most_failures) return;
  const GridSetting& described = setting_of(result_, setting.number);
  for (Diagnostic error : run.errors) {
    error.help.push_back("at " + place_on(names_of_axes(), values, described));
    std::string repeat = command(described, values, run.seed);
    if (run.atomics != ExecutionOrder::rising)
      repeat += fmt::format(" --atomics {}", name_of(run.atomics));
    error.help.push_back("repeat it: " + repeat);
    result_.failures.push_back(std::move(error));
  }
}

/// Runs that one engine served for one reason are counted together.
void GridRun::note_engine(const EngineUse& use) {
  const std::string text = engine_text(use, sources_);
  for (auto& [known, runs] : result_.engines) {
    if (known == text) {
      ++runs;
      return;
    }
  }
  result_.engines.emplace_back(text, 1);
}

/// The machine is too small for a launch, which says nothing of the program.
void GridRun::take_unfit(const GridValues& values, Setting& setting, PointRun run) {
  result_.unfit_runs += 1;
  setting.places.mark_unfit(values);
  unfit_.add(axes_, values);
  refusal_ = std::move(run.errors);
}

void GridRun::take(const GridValues& values, Setting& setting, PointRun run) {
  if (run.ended()) {
    result_.stop = run.stop;
    return;
  }
  if (run.unfit) return take_unfit(values, setting, std::move(run));
  result_.runs += 1;
  note_engine(run.engine);
  if (run.stop != Stop::none && run.stop != Stop::error) {
    result_.stopped_runs += 1;
    return note_failure(values, setting, run);
  }
  if (run.stop == Stop::error || run.verify == Verdict::failed) {
    result_.failed_runs += 1;
    return note_failure(values, setting, run);
  }
  if (run.verify == Verdict::none) result_.unchecked_runs += 1;
  if (run.races) result_.racing_runs += 1;
  used_.add(axes_, values);
  GridPoint point;
  point.seed = run.seed;
  point.setting = setting.number;
  point.parameters = values;
  const bool unusual = is_unusual(axes_, values);
  for (std::size_t k = 0; k < run.claims.size(); ++k) {
    point.outcome = std::move(run.claims[k]);
    if (unusual && is_bound(tree().claims[k].kind)) {
      point.outcome.verdict = ClaimVerdict::not_applicable;
      point.outcome.reason = "a bound is judged at larger values";
    }
    outcomes_[k].push_back(point);
  }
}

/// Where no claim speaks of the model, a few runs show that the result is right there too.
GridLimits GridRun::limits_on(Model model) const {
  GridLimits limits = request_.grid;
  const auto& claims = tree().claims;
  const bool claimed = std::any_of(claims.begin(), claims.end(), [&](const auto& claim) {
    return speaks_of(claim, name_of(model));
  });
  if (claimed) return limits;
  limits.points = std::max<std::size_t>(1, limits.points / 10);
  return limits;
}

/// Points for one setting.
std::vector<GridValues> GridRun::points_of(Setting& setting, const Combinations& all,
                                           const GridLimits& limits) {
  GridValues before;
  return spread_grid(
      all,
      [&](const GridValues& values) {
        const bool wanted = &all == &combinations_ || is_unusual(axes_, values);
        const std::optional<double> cost = wanted ? setting.places.cost(values) : std::nullopt;
        if (!cost) return cost;
        possible_.add(axes_, values, before);
        before = values;
        return cost;
      },
      limits, &setting.places.watch());
}

/// Runs the points of a setting, and others for those that did not fit. False if none could be run.
bool GridRun::fill(Setting& setting) {
  const std::int64_t before = result_.runs;
  std::size_t planned = 0;
  for (int round = 0; round <= most_refills; ++round) {
    std::vector<GridValues> points = points_of(setting, combinations_, setting.limits);
    std::erase_if(points, [&](const GridValues& values) { return setting.ran.contains(values); });
    if (round == 0) planned = points.size();
    if (!run_points(setting, points) || points.empty()) break;
    if (4 * static_cast<std::size_t>(result_.runs - before) >= 3 * planned) break;
  }
  return result_.runs > before || result_.stop != Stop::none;
}

/// Runs a few points at unusual values.
void GridRun::run_unusual(Setting& setting) {
  if (unusual_.axes() == 0 || setting.limits.points < part_unusual) return;
  const std::size_t points = setting.limits.points / part_unusual;
  run_points(setting, points_of(setting, unusual_, {points, setting.limits.cost / part_unusual}));
}

/// Adds the lines that the test of trends compares along, again and again, since a line may show a
/// new extreme.
void GridRun::complete_lines(Setting& setting) {
  std::size_t left = 2 * request_.grid.points;
  double cost_left = 4 * request_.grid.cost;
  for (int round = 0; round < most_rounds; ++round) {
    // Each round takes at most a third of what is left, so that later ones have their share.
    std::vector<GridValues> chosen;
    double spent = 0;
    for (GridValues& values :
         missing_points(tree(), axes_, outcomes_, setting.number, round >= most_rounds / 2)) {
      const std::optional<double> own = setting.places.cost(values);
      if (!own || 3 * chosen.size() >= left || 3 * (spent + *own) > cost_left) continue;
      spent += *own;
      chosen.push_back(std::move(values));
    }
    left -= chosen.size();
    cost_left -= spent;
    if (!run_points(setting, chosen)) return;
  }
}

/// Whether the work was asked to stop in some run.
static bool ended(const std::vector<std::vector<PointRun>>& runs) {
  return std::any_of(runs.begin(), runs.end(), [](const std::vector<PointRun>& of_point) {
    return std::any_of(of_point.begin(), of_point.end(),
                       [](const PointRun& run) { return run.ended(); });
  });
}

std::vector<PointWords> by_words(PlaceCosts& places, const std::vector<GridValues>& points) {
  std::vector<PointWords> order;
  for (std::size_t k = 0; k < points.size(); ++k)
    order.push_back({places.words(points[k]).value_or(WordCount{}).handled, k});
  std::sort(order.begin(), order.end());
  return order;
}

/// Runs the points. False if the verification has to stop.
bool GridRun::run_points(Setting& setting, const std::vector<GridValues>& points) {
  result_.stop = setting.places.watch().stop(); // while the points were chosen
  if (result_.stop != Stop::none) return false;
  setting.ran.insert(points.begin(), points.end());
  std::vector<std::vector<PointRun>> runs = run_by_words(setting, points);
  // In the order of the points and seeds, in whatever order they were run.
  for (std::size_t k = 0; k < points.size(); ++k)
    for (PointRun& run : runs[k]) take(points[k], setting, std::move(run));
  return result_.stop == Stop::none;
}

/// Runs the points, those with the fewest words first, until the steps of all are over: a run's
/// steps may grow faster than its words, as the runs before show. Few are run at a time once an
/// eighth of the steps is over. No runs of those that there is no room for, or after a stop.
std::vector<std::vector<PointRun>> GridRun::run_by_words(Setting& setting,
                                                         const std::vector<GridValues>& points) {
  std::vector<std::vector<PointRun>> runs(points.size());
  const double most_steps =
      setting.steps + steps_of_a_point * static_cast<double>(setting.limits.points);
  const std::vector<PointWords> order = by_words(setting.places, points);
  RunsAhead ahead;
  for (std::size_t first = 0, end = 0; first < order.size() && !ended(runs); first = end) {
    const double left = most_steps - setting.steps;
    if (left < 0 || setting.law().at(order[first].first) > left) {
      setting.places.limit(order[first].first);
      break;
    }
    const std::size_t most = 8 * left > 7 * most_steps ? most_ready : most_large_runs;
    while (end < order.size() && end - first < most && order[end].first < 4 * order[first].first)
      ++end;
    const std::span<const PointWords> from = std::span(order).subspan(first);
    run_part(setting, points, from.first(end - first), from.subspan(end - first), RunsFor::grid,
             ahead, runs);
  }
  return runs;
}

/// Runs those of the part that were not run ahead, and with them those later ones that share their
/// executions. What `see` sees is run in its turn.
void GridRun::run_ahead(Setting& setting, const std::vector<GridValues>& points,
                        std::span<const PointWords> part, std::span<const PointWords> later,
                        RunsFor what, RunsAhead& ahead) {
  const bool beyond = what != RunsFor::grid;
  GridRequest request = request_;
  if (beyond) {
    request.seeds = 1;
    request.timing_only = setting.timing_only;
    request.limits.steps = std::min(request.limits.steps, setting.most_steps);
    request.see = {};
  }
  std::vector<GridPlace> ready;
  std::vector<std::size_t> numbers;
  const auto add = [&](std::size_t k, GridValues execution) {
    numbers.push_back(k);
    ready.push_back({setting.places.point(points[k], request), std::move(execution)});
    if (!beyond) return;
    ready.back().point.options.pram = what == RunsFor::beyond_on_pram;
    ready.back().point.options.locate_stop = false;
  };
  std::set<GridValues> executions;
  for (const auto& [words, k] : part)
    if (!ahead.contains(k))
      add(k, *executions.insert(setting.places.without_latencies(points[k])).first);
  for (const auto& [words, k] : later) {
    if (request.see || ahead.contains(k)) continue;
    GridValues execution = setting.places.without_latencies(points[k]);
    if (executions.contains(execution)) add(k, std::move(execution));
  }
  auto results = run_grid_points(sources_, request, std::move(ready));
  for (std::size_t i = 0; i < numbers.size(); ++i) ahead[numbers[i]] = std::move(results[i]);
}

/// Runs some of the points, and adds their steps.
void GridRun::run_part(Setting& setting, const std::vector<GridValues>& points,
                       std::span<const PointWords> part, std::span<const PointWords> later,
                       RunsFor what, RunsAhead& ahead, std::vector<std::vector<PointRun>>& runs) {
  run_ahead(setting, points, part, later, what, ahead);
  for (const auto& [words, k] : part) {
    std::vector<PointRun>& own = ahead[k];
    if (!own.empty() && own.front().refused) {
      refused_ = true;
      setting.places.refuse(points[k], std::move(own.front().errors));
      continue;
    }
    for (const PointRun& run : own) {
      const auto steps = static_cast<double>(run.steps);
      if (what == RunsFor::grid) setting.steps += steps;
      if (is_unusual(axes_, points[k])) continue; // small ones say little of others
      setting.known.push_back({0, static_cast<float>(words), steps});
    }
    runs[k] = std::move(own);
  }
}

void GridRun::note_refusals(const PlaceCosts& places) {
  if (!places.refusal().empty()) refusal_ = places.refusal();
  if (!places.model_refusal().empty()) model_refusal_ = places.model_refusal();
}

/// Of the machines: in lockstep too, if a claim asks for it.
std::vector<bool> GridRun::modes() const {
  return asks_for_lockstep(tree()) ? std::vector<bool>{false, true} : std::vector<bool>{false};
}

/// Whether the model can run the variant anywhere on the grid.
bool GridRun::run_model(Model model) {
  bool any = false;
  for (const bool lockstep : modes()) {
    result_.settings.push_back({model, lockstep, variant_->info.replaced});
    Setting setting{static_cast<std::int64_t>(result_.settings.size()), model,
                    PlaceCosts(axes_, *variant_, result_.settings.back(), request_, sources_)};
    setting.limits = limits_on(model);
    const bool runs = fill(setting);
    any = any || runs;
    if (result_.stop == Stop::none) complete_lines(setting);
    if (result_.stop == Stop::none) follow_bounds(setting);
    if (result_.stop == Stop::none && runs) run_unusual(setting);
    note_refusals(setting.places);
    if (result_.stop != Stop::none) return any;
  }
  return any;
}

Result<Verification> GridRun::run() {
  outcomes_.resize(tree().claims.size());
  rays_.resize(tree().claims.size());
  for (const Model model : request_.models) {
    Result<std::vector<GridAxis>> axes = grid_axes(checked(), request_, model);
    if (!axes) return axes.errors();
    axes_ = std::move(*axes);
    Watch watch(sources_.limits());
    combinations_ = Combinations(axes_, &watch);
    const std::vector<GridAxis> unusual = unusual_axes(axes_);
    unusual_ = unusual.empty() ? Combinations() : Combinations(unusual, &watch);
    bool any = false;
    for (const CheckedProgram& variant : variants_) {
      variant_ = &variant;
      if (result_.stop == Stop::none) any = run_model(model) || any;
    }
    if (any) result_.models.emplace_back(name_of(model));
    if (result_.stop != Stop::none) break;
  }
  if (result_.models.empty() && result_.stop == Stop::none) return runs_nowhere();
  result_.names = names_of_axes();
  judge();
  if (result_.stop == Stop::none && result_.failed_runs + result_.stopped_runs == 0)
    result_.unused = unused_values(request_, possible_, unfit_, used_);
  return std::move(result_);
}

bool Verification::limited() const {
  return std::any_of(unused.begin(), unused.end(),
                     [](const Diagnostic& value) { return value.severity == Severity::error; });
}

bool Verification::passed() const {
  return stop == Stop::none && failed_runs + stopped_runs == 0 && !limited() &&
         std::all_of(claims.begin(), claims.end(),
                     [](const auto& claim) { return claim.passed(); });
}

Result<Verification> verify_over_grid(Sources& sources, const std::vector<CheckedProgram>& variants,
                                      const GridRequest& request) {
  return GridRun(sources, variants, request).run();
}

} // namespace memlane::sweep
