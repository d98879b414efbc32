// A verification under way: which points of its grid are run, and what is kept of their runs.
#pragma once

#include "grid_places.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/store/point_order.hpp"
#include "memlane/study/verify/verification.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace memlane::sweep {

struct FollowedBound; // grid_lines.hpp
class RaySearch;
struct RoundRoom;

/// The values that some points have, of the axes that --grid names.
class SeenValues {
public:
  explicit SeenValues(const GridRequest& request) {
    for (const auto& [name, values] : request.axes) values_[name];
  }

  /// `before`: of a place of these axes that was added.
  void add(const std::vector<GridAxis>& axes, const GridValues& values,
           const GridValues& before = {});
  bool has(const std::string& axis, std::int64_t value) const;
  bool empty() const { return !any_; } ///< no point was added

private:
  std::map<std::string, std::set<std::int64_t>> values_;
  bool any_ = false;
};

/// The values of --grid that no run had: an error where the limit of --points is why, a warning
/// where no model or condition allows the value, or no launch with it fits on a machine of the
/// grid.
Diagnostics unused_values(const GridRequest& request, const SeenValues& possible,
                          const SeenValues& unfit, const SeenValues& used);

/// What is to be given for larger runs, and how runs that cost more than the grid may come in.
std::string more_points(std::size_t points);
std::string way_to_larger(std::size_t points);

/// What is kept of one run.
struct PointRun {
  std::uint64_t seed = 1;
  /// Of a run whose result depends on it: the one in which it failed, if in any.
  ExecutionOrder atomics = ExecutionOrder::rising;
  Stop stop = Stop::none;
  Verdict verify = Verdict::none;
  std::int64_t steps = 0;           ///< instructions executed
  bool races = false;               ///< some were found and allowed
  bool unfit = false;               ///< a launch does not fit on the machine: RunOutcome::unfit
  bool refused = false;             ///< the program cannot be bound or run there
  EngineUse engine;                 ///< which engine served it
  Diagnostics errors;               ///< why it failed or stopped
  std::vector<ClaimOutcome> claims; ///< by claim, without text and source; of a run that came to
                                    ///< its end and that verify did not fail

  /// The work was asked to stop: the run says nothing.
  bool ended() const { return stop == Stop::interrupted || stop == Stop::wall_clock; }
};

/// A point to run. Only those with equal executions are looked at for whether they share a run.
struct GridPlace {
  Point point;
  GridValues execution;
};

/// The runs at each of the points: one that is refused where the program cannot be bound or run,
/// request.seeds where some `~` claim may apply, else one. The large ones start first; the result
/// does not depend on request.jobs. After the limits' check asked to stop, no more start; those
/// that were done are there. Concurrent runs hold no more bytes of arrays together than one may.
std::vector<std::vector<PointRun>>
run_grid_points(const Sources& sources, const GridRequest& request, std::vector<GridPlace> points);

/// What points must share for their ratios to be compared, and what is known of its points.
struct Setting {
  std::int64_t number = 0;
  Model model = Model::umm;
  PlaceCosts places;
  std::set<GridValues> ran = {};      ///< places that were tried
  double steps = 0;                   ///< executed by its runs
  std::vector<TimedPoint> known = {}; ///< the steps of its runs, in place of seconds, by words
  GridLimits limits = {};             ///< of its first points
  /// The claims of runs beyond the grid; none of a run that failed. Most of them are timing only.
  /// By whether they counted the steps of a PRAM.
  std::map<std::pair<bool, GridValues>, std::vector<ClaimOutcome>> beyond = {};
  double steps_of_stage = 0;   ///< what those of a stage cost (grid_beyond.cpp)
  std::int64_t most_steps = 0; ///< of each of them
  double steps_far = 0;        ///< of runs that were made alone
  bool timing_only = false;    ///< these runs need no data

  /// The steps of a run by the words that it handles; 0 where nothing is known.
  PowerLaw law() {
    if (std::exchange(fitted_of, known.size()) != known.size()) fitted = fitted_law(known);
    return fitted;
  }

  PowerLaw fitted = {}; ///< to so many of the known runs
  std::size_t fitted_of = 0;
};

/// The words of a point, and its number.
using PointWords = std::pair<double, std::size_t>;

/// The numbers of some points, the one with the fewest words first.
std::vector<PointWords> by_words(PlaceCosts& places, const std::vector<GridValues>& points);
/// What runs are for.
enum class RunsFor : std::uint8_t { grid, beyond, beyond_on_pram };
/// Points that are made ready to run at once, whose code is kept.
constexpr std::size_t most_ready = 1024;

/// A verification under way.
class GridRun {
public:
  GridRun(Sources& sources, const std::vector<CheckedProgram>& variants, const GridRequest& request)
      : sources_(sources), variants_(variants), variant_(&variants.front()), request_(request),
        possible_(request), unfit_(request), used_(request) {
    result_.program = variant_->info.path;
    result_.info = variant_->info;
    result_.races_allowed = variant_->info.races_allowed;
  }

  Result<Verification> run();

private:
  std::vector<std::string> names_of_axes() const {
    std::vector<std::string> names;
    for (const GridAxis& axis : axes_) names.push_back(axis.name);
    return names;
  }
  GridLimits limits_on(Model model) const;
  std::vector<GridValues> points_of(Setting& setting, const Combinations& all,
                                    const GridLimits& limits);
  bool fill(Setting& setting);
  void complete_lines(Setting& setting);
  void run_unusual(Setting& setting);
  bool run_points(Setting& setting, const std::vector<GridValues>& points);
  std::vector<std::vector<PointRun>> run_by_words(Setting& setting,
                                                  const std::vector<GridValues>& points);
  /// Runs that later parts need, by number of the point: they have shared an execution.
  using RunsAhead = std::map<std::size_t, std::vector<PointRun>>;
  void run_part(Setting& setting, const std::vector<GridValues>& points,
                std::span<const PointWords> part, std::span<const PointWords> later, RunsFor what,
                RunsAhead& ahead, std::vector<std::vector<PointRun>>& runs);
  void run_ahead(Setting& setting, const std::vector<GridValues>& points,
                 std::span<const PointWords> part, std::span<const PointWords> later, RunsFor what,
                 RunsAhead& ahead);
  // grid_beyond.cpp
  void follow_bounds(Setting& setting);
  static double cost_beyond(const Setting& setting, const GridValues& values, double words,
                            double steps);
  std::set<GridValues> affordable(Setting& setting, bool pram, RoundRoom room,
                                  const std::vector<GridValues>& places);
  void refute_exact(const Setting& setting, const GridValues& values, const PointRun& run);
  std::vector<std::optional<ClaimOutcome>> run_beyond(Setting& setting, std::size_t claim,
                                                      const std::vector<GridValues>& places,
                                                      RoundRoom room);
  void test_constants(Setting& setting, const FollowedBound& bound, RaySearch& search, Ray& ray);
  std::vector<bool> modes() const;
  bool run_model(Model model);
  void note_refusals(const PlaceCosts& places);
  void take(const GridValues& values, Setting& setting, PointRun run);
  void take_unfit(const GridValues& values, Setting& setting, PointRun run);
  void note_engine(const EngineUse& use);
  void note_failure(const GridValues& values, const Setting& setting, const PointRun& run);
  std::string command(const GridSetting& setting, const GridValues& values,
                      std::uint64_t seed) const;
  Result<Verification> runs_nowhere();
  void judge();
  std::optional<double> settling_constant(std::size_t exact, std::size_t bound) const;
  void settle_by_exact(std::size_t bound, GridJudgement& judgement) const;

  const lang::Checked& checked() const { return variant_->checked; }
  const lang::Program& tree() const { return checked().program; }

  Sources& sources_;
  const std::vector<CheckedProgram>& variants_;
  const CheckedProgram* variant_; ///< the one under way
  const GridRequest& request_;
  std::vector<GridAxis> axes_;                   ///< of the machines of the model under way
  Combinations combinations_, unusual_;          ///< of their values; that some unusual ones have
  std::vector<std::vector<GridPoint>> outcomes_; ///< by claim
  std::vector<std::vector<Ray>> rays_;           ///< by claim
  SeenValues possible_, unfit_, used_; ///< at which it can run, turned out not to, and did
  Diagnostics refusal_;                ///< why the last place could not be bound
  Diagnostics model_refusal_;          ///< why the last model could not run the program
  bool refused_ = false;               ///< the code of some place that was to run had errors
  Verification result_;
};

} // namespace memlane::sweep
