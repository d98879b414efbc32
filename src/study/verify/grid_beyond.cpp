// A verification's runs beyond its grid, which decide whether bounds fail.
#include "grid_lines.hpp"
#include "grid_run.hpp"

#include "memlane/ir/without_data.hpp"

#include <algorithm>

namespace memlane::sweep {
namespace {

/// Steps that the runs for a bound may take in all settings, for each point of the grid of one.
constexpr double steps_beyond_of_a_point = 1.6e6;
/// What a step costs that is counted on a PRAM too.
constexpr double pram_cost = 20;
/// What a word costs, which is placed and has a first content, in steps.
constexpr double word_cost = 8;
/// What one round of a search may take of what is left: later ones have their share.
constexpr double round_share = 0.5;

} // namespace

/// What a run costs, in steps. Threads beyond the words have nothing to do, but they come and go.
double GridRun::cost_beyond(const Setting& setting, const GridValues& values, double words,
                            double steps) {
  return steps + word_cost * words + threads_of(setting.places.place(values).machine);
}

/// Of the places that were not run before, the first that their expected costs allow.
std::set<GridValues> GridRun::affordable(Setting& setting, bool pram,
                                         const std::vector<GridValues>& places) {
  const PowerLaw law = setting.law();
  const std::size_t settings = request_.models.size() * modes().size() * variants_.size();
  const double points = static_cast<double>(request_.grid.points) / static_cast<double>(settings);
  const double step_cost = pram ? pram_cost : 1;
  double left = round_share * (steps_beyond_of_a_point * points - setting.steps_beyond);
  std::set<GridValues> chosen;
  for (const GridValues& values : places) {
    const auto words = setting.places.words(values);
    if (!words || setting.beyond.contains({pram, values}) || chosen.contains(values)) continue;
    const double steps = step_cost * law.at(std::max(1.0, words->handled));
    const double cost = cost_beyond(setting, values, words->placed, steps);
    if (cost > left) continue;
    left -= cost;
    chosen.insert(values);
  }
  return chosen;
}

/// The outcomes of a claim at these places. Runs those that are new, as far as their cost allows.
std::vector<std::optional<ClaimOutcome>>
GridRun::run_beyond(Setting& setting, std::size_t claim, const std::vector<GridValues>& places) {
  const bool pram = asks_for_pram(checked().claims[claim]);
  const double step_cost = pram ? pram_cost : 1;
  const std::set<GridValues> allowed = affordable(setting, pram, places);
  const std::vector<GridValues> chosen(allowed.begin(), allowed.end());
  std::vector<std::vector<PointRun>> runs(chosen.size());
  std::vector<PointWords> order = by_words(setting.places, chosen);
  for (std::size_t first = 0; first < order.size(); first += most_ready)
    run_part(setting, chosen,
             std::span(order).subspan(first).first(std::min(most_ready, order.size() - first)),
             pram ? RunsFor::beyond_on_pram : RunsFor::beyond, runs);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    if (runs[k].empty()) continue; // no room
    PointRun& run = runs[k].front();
    if (run.ended()) result_.stop = run.stop;
    if (run.unfit) setting.places.mark_unfit(chosen[k]);
    result_.runs_beyond += 1;
    setting.steps_beyond += cost_beyond(setting, chosen[k], setting.places.words(chosen[k])->placed,
                                        step_cost * static_cast<double>(run.steps));
    setting.beyond[{pram, chosen[k]}] = std::move(run.claims);
  }
  std::vector<std::optional<ClaimOutcome>> outcomes(places.size());
  for (std::size_t k = 0; k < places.size(); ++k)
    if (const auto found = setting.beyond.find({pram, places[k]});
        found != setting.beyond.end() && !found->second.empty())
      outcomes[k] = found->second[claim];
  return outcomes;
}

void GridRun::follow_bounds(Setting& setting) {
  const std::vector<FollowedBound> bounds = bounds_in(tree(), axes_, outcomes_, setting.number);
  if (bounds.empty()) return;
  const Result<ir::Program> code = setting.places.code(bounds.front().applicable.front().values);
  setting.timing_only = code && ir::without_data(*code, request_.limits);
  for (const FollowedBound& bound : bounds) {
    setting.steps_beyond = 0;
    RaySearch search(axes_, setting.places, checked(), bound,
                     [&](const std::vector<GridValues>& places) {
                       return run_beyond(setting, bound.claim, places);
                     });
    for (Ray& ray : search.follow()) rays_[bound.claim].push_back(std::move(ray));
    if (result_.stop == Stop::none) result_.stop = setting.places.watch().stop();
    if (result_.stop != Stop::none) return;
  }
}

} // namespace memlane::sweep
