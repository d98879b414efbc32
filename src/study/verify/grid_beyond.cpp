// The runs beyond the grid that the search for growth asks for, and what they may cost.
#include "grid_lines.hpp"
#include "grid_run.hpp"

#include "memlane/ir/without_data.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace memlane::sweep {

namespace {

/// Steps that the runs for a bound may take in all settings, for each point of the grid of one.
constexpr double steps_beyond_of_a_point = 1.6e6;
/// What a step costs that is counted on a PRAM too.
constexpr double pram_cost = 20;
/// What a word costs, which is placed and has a first content, in steps.
constexpr double word_cost = 8;
/// What a stage of a search may take of that, and a round of what is left of it: later ones have
/// their share.
constexpr double part_of_stage = 0.3, round_share = 0.5;
/// Steps of a run beyond the grid, and of one that is made alone.
constexpr std::int64_t most_steps_beyond = 30'000'000, most_steps_far = 300'000'000;
/// Runs of so many steps that are made alone in a setting; more if they are shorter.
constexpr double far_runs = 3;
/// An instruction of a narrower warp has fewer steps, and takes about as long.
constexpr std::int64_t usual_width = 32;

} // namespace

/// What a run costs, in steps. Threads beyond the words have nothing to do, but they come and go.
double GridRun::cost_beyond(const Setting& setting, const GridValues& values, double words,
                            double steps) {
  return steps + word_cost * words + threads_of(setting.places.place(values).machine);
}

/// Of the places that were not run before, those that their expected costs allow.
std::set<GridValues> GridRun::affordable(Setting& setting, bool pram, RoundRoom room,
                                         const std::vector<GridValues>& places) {
  const PowerLaw law = setting.law();
  const std::size_t settings = request_.models.size() * modes().size() * variants_.size();
  const double points = static_cast<double>(request_.grid.points) / static_cast<double>(settings);
  const double step_cost = pram ? pram_cost : 1;
  std::vector<std::pair<double, std::size_t>> costs;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const auto words = setting.places.words(places[k]);
    if (!words || setting.beyond.contains({pram, places[k]})) continue;
    const double steps = step_cost * law.at(std::max(1.0, words->handled));
    // Without data, no word is placed: of many runs this leaves room.
    const double placed = room.far && setting.timing_only ? 0 : words->placed;
    costs.emplace_back(cost_beyond(setting, places[k], placed, steps), k);
  }
  if (!room.in_order) std::sort(costs.begin(), costs.end());
  if (room.first) setting.steps_of_stage = 0;
  double left =
      round_share * (part_of_stage * steps_beyond_of_a_point * points - setting.steps_of_stage);
  if (room.far)
    left = setting.steps_far < far_runs * static_cast<double>(most_steps_far)
               ? static_cast<double>(most_steps_far)
               : 0;
  std::set<GridValues> chosen;
  for (const auto& [cost, k] : costs)
    if (cost <= left && chosen.insert(places[k]).second) left -= cost;
  return chosen;
}

/// Exact claims are judged by every run, also by those that were made for bounds.
void GridRun::refute_exact(const Setting& setting, const GridValues& values, const PointRun& run) {
  for (std::size_t k = 0; k < run.claims.size(); ++k)
    if (is_exact(tree().claims[k].kind) && run.claims[k].verdict == ClaimVerdict::fails)
      outcomes_[k].push_back({values, run.seed, setting.number, run.claims[k]});
}

/// The outcomes of a claim at these places. Runs those that are new, as far as their cost allows.
std::vector<std::optional<ClaimOutcome>> GridRun::run_beyond(Setting& setting, std::size_t claim,
                                                             const std::vector<GridValues>& places,
                                                             RoundRoom room) {
  const bool pram = asks_for_pram(checked().claims[claim]);
  const double step_cost = pram ? pram_cost : 1;
  const std::set<GridValues> allowed = affordable(setting, pram, room, places);
  std::int64_t narrower = 1; // how many times: what is run alone is one place
  if (room.far)
    narrower =
        std::max<std::int64_t>(1, usual_width / setting.places.place(places.front()).machine.width);
  setting.most_steps = room.far ? most_steps_far / narrower : most_steps_beyond;
  const std::vector<GridValues> chosen(allowed.begin(), allowed.end());
  std::vector<std::vector<PointRun>> runs(chosen.size());
  std::vector<PointWords> order = by_words(setting.places, chosen);
  RunsAhead ahead;
  for (std::size_t first = 0; first < order.size(); first += most_ready)
    run_part(setting, chosen,
             std::span(order).subspan(first).first(std::min(most_ready, order.size() - first)), {},
             pram ? RunsFor::beyond_on_pram : RunsFor::beyond, ahead, runs);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    if (runs[k].empty()) continue; // no room
    PointRun& run = runs[k].front();
    if (run.ended()) result_.stop = run.stop;
    if (run.unfit) setting.places.mark_unfit(chosen[k]);
    result_.runs_beyond += 1;
    const double steps = step_cost * static_cast<double>(run.steps);
    if (room.far)
      setting.steps_far += run.stop == Stop::none ? steps : static_cast<double>(most_steps_far);
    else
      setting.steps_of_stage +=
          cost_beyond(setting, chosen[k], setting.places.words(chosen[k])->placed, steps);
    refute_exact(setting, chosen[k], run);
    setting.beyond[{pram, chosen[k]}] = std::move(run.claims);
  }
  std::vector<std::optional<ClaimOutcome>> outcomes(places.size());
  for (std::size_t k = 0; k < places.size(); ++k)
    if (const auto found = setting.beyond.find({pram, places[k]});
        found != setting.beyond.end() && !found->second.empty())
      outcomes[k] = found->second[claim];
  return outcomes;
}

/// Runs the ray's claims where its growth, if it went on as log x, would leave the constant of an
/// exact claim behind: one that holds there may settle the bound.
void GridRun::test_constants(Setting& setting, const FollowedBound& bound, RaySearch& search,
                             Ray& ray) {
  const std::vector<GridPoint>& points = ray.points;
  if (ray.growth == Growth::settles || points.size() < 3) return;
  for (std::size_t k = 0; k < tree().claims.size() && !ray.kept; ++k) {
    const std::optional<double> constant = settling_constant(k, bound.claim);
    if (!constant) continue;
    const auto side = [&](double ratio) { return ray.greatest ? ratio : 1 / ratio; };
    const double last = side(points.back().outcome.ratio);
    const double gain = (last - side(points[points.size() - 3].outcome.ratio)) / 2;
    const double wanted = gain > 0 ? std::ceil((side(*constant) - last) / gain) + 1 : 1;
    if (!(wanted >= 1 && wanted <= static_cast<double>(most_far))) continue;
    const auto doublings = static_cast<std::size_t>(wanted);
    if (!can_move(points.back().parameters, ray.powers, doublings)) continue;
    const GridValues values = moved(points.back().parameters, ray.powers, doublings);
    if (!search.possible(values)) continue;
    setting.steps_far = 0; // room of its own
    run_beyond(setting, bound.claim, {values}, {false, true, true});
    const bool pram = asks_for_pram(checked().claims[bound.claim]);
    const auto found = setting.beyond.find({pram, values});
    if (found != setting.beyond.end() && !found->second.empty() &&
        found->second[k].verdict == ClaimVerdict::holds)
      ray.kept = constant;
  }
}

void GridRun::follow_bounds(Setting& setting) {
  const std::vector<FollowedBound> bounds = bounds_in(tree(), axes_, outcomes_, setting.number);
  if (bounds.empty()) return;
  const Result<ir::Program> code = setting.places.code(bounds.front().applicable.front().values);
  setting.timing_only = code && ir::without_data(*code, request_.limits);
  for (const FollowedBound& bound : bounds) {
    RaySearch search(axes_, setting.places, checked(), bound,
                     [&](const std::vector<GridValues>& places, RoundRoom room) {
                       return run_beyond(setting, bound.claim, places, room);
                     });
    for (Ray& ray : search.follow()) {
      test_constants(setting, bound, search, ray);
      rays_[bound.claim].push_back(std::move(ray));
    }
    if (result_.stop == Stop::none) result_.stop = setting.places.watch().stop();
    if (result_.stop != Stop::none) return;
  }
}

} // namespace memlane::sweep
