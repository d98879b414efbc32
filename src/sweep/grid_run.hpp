// A verification under way: which points of its grid are run, and what is kept of their runs.
#pragma once

#include "grid_points.hpp"
#include "grid_values.hpp"
#include "place_costs.hpp"
#include "power_law.hpp"

#include "memlane/sweep/verification.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace memlane::sweep {

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
  double steps_beyond = 0;  ///< what those for one bound cost (grid_beyond.cpp)
  bool timing_only = false; ///< these runs need no data

  /// The steps of a run by the words that it handles; 0 where nothing is known.
  PowerLaw law() const { return known.empty() ? PowerLaw{} : fitted_law(known); }
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
      : sources_(sources), variants_(variants), variant_(&variants.front()), request_(request) {
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
  std::vector<GridValues> points_of(Setting& setting);
  bool fill(Setting& setting);
  void complete_lines(Setting& setting);
  bool run_points(Setting& setting, const std::vector<GridValues>& points);
  std::vector<std::vector<PointRun>> run_by_words(Setting& setting,
                                                  const std::vector<GridValues>& points);
  void run_part(Setting& setting, const std::vector<GridValues>& points,
                std::span<const PointWords> part, RunsFor what,
                std::vector<std::vector<PointRun>>& runs);
  // grid_beyond.cpp
  void follow_bounds(Setting& setting);
  static double cost_beyond(const Setting& setting, const GridValues& values, double words,
                            double steps);
  std::set<GridValues> affordable(Setting& setting, bool pram,
                                  const std::vector<GridValues>& places);
  std::vector<std::optional<ClaimOutcome>> run_beyond(Setting& setting, std::size_t claim,
                                                      const std::vector<GridValues>& places);
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
  void settle_by_exact(std::size_t bound, GridJudgement& judgement) const;

  const lang::Checked& checked() const { return variant_->checked; }
  const lang::Program& tree() const { return checked().program; }

  Sources& sources_;
  const std::vector<CheckedProgram>& variants_;
  const CheckedProgram* variant_; ///< the one under way
  const GridRequest& request_;
  std::vector<GridAxis> axes_;
  std::vector<std::vector<GridPoint>> outcomes_; ///< by claim
  std::vector<std::vector<Ray>> rays_;           ///< by claim
  SeenValues possible_, unfit_, used_; ///< at which it can run, turned out not to, and did
  Diagnostics refusal_;                ///< why the last place could not be bound
  Diagnostics model_refusal_;          ///< why the last model could not run the program
  Verification result_;
};

} // namespace memlane::sweep
