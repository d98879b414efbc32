// A verification's runs beyond its grid, which decide whether bounds fail.
#include "grid_lines.hpp"
#include "grid_run.hpp"

#include "memlane/ir/without_data.hpp"

#include <algorithm>

namespace memlane::sweep {
namespace {

/// Steps that the runs for a bound may take in a setting, for each point of its grid: they compute
/// no data, most of them, and are a tenth of the work.
constexpr double steps_beyond_of_a_point = 2e6;
/// What a step costs that is counted on a PRAM too.
constexpr double pram_cost = 20;
/// What a word costs, which is placed and has a first content, in steps.
constexpr double word_cost = 2;
/// What one round of a search may take of what is left: later ones have their share.
constexpr double round_share = 0.5;

} // namespace

/// Runs the places that were not run before, the cheapest first, as far as their cost allows.
std::vector<std::optional<ClaimOutcome>>
GridRun::run_beyond(Setting& setting, std::size_t claim, const std::vector<GridValues>& places) {
  const bool pram = asks_for_pram(checked().claims[claim]);
  std::vector<std::pair<double, GridValues>> wanted;
  for (const GridValues& values : places) {
    const auto words = setting.places.words(values);
    if (!words || setting.beyond.contains({pram, values})) continue;
    // Threads beyond the words have nothing to do, but they come and go.
    const double idle = threads_of(setting.places.point(values).machine) / std::max(1.0, *words);
    const double cost = setting.expected_steps(*words) * std::max(1.0, idle) + word_cost * *words;
    wanted.emplace_back(pram ? pram_cost * cost : cost, values);
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  const double points = static_cast<double>(request_.grid.points);
  const double most = round_share * (steps_beyond_of_a_point * points - setting.steps_beyond);
  std::vector<GridValues> chosen;
  double spent = 0;
  for (auto& [steps, values] : wanted) {
    if (spent + steps > most) break;
    spent += steps;
    chosen.push_back(std::move(values));
  }
  setting.steps_beyond += spent;
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
