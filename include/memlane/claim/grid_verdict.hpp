// The verdict on a claim over a grid of runs.
#pragma once

#include "memlane/claim/claim.hpp"
#include "memlane/claim/growth.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace memlane {

/// One run of the grid.
struct GridPoint {
  GridValues parameters; ///< n, p, w, l …, in the order of the names
  std::uint64_t seed = 1;
  std::int64_t setting = 0; ///< of growth.hpp: model, lockstep, layout
  ClaimOutcome outcome;     ///< without text and source
};

/// `O`, `Omega`, `Theta`.
constexpr bool is_bound(lang::ClaimKind kind) { return kind >= lang::ClaimKind::big_o; }

/// Odd values above one stay odd as they double: banks take them for no power of two.
constexpr bool stays_odd(std::int64_t value) { return value > 1 && value % 2 == 1; }

/// The parameters after so many steps of a ray: each doubles as often as its power says, or of an
/// odd one what is above 1.
GridValues moved(GridValues values, const std::vector<int>& powers, std::size_t steps);

/// A line of runs beyond the grid, along which a bound was followed (growth.hpp).
struct Ray {
  bool greatest = true;            ///< follows the growth of the ratio; else how it vanishes
  std::vector<int> powers;         ///< by parameter: how often it doubles in a step (moved)
  std::vector<GridPoint> points;   ///< of one setting, the first on the grid or near it
  std::vector<double> ratios = {}; ///< to the formula's leading terms; inverted unless `greatest`
  Growth growth = Growth::unclear;
  GridValues stops_at = {}; ///< further on the ray, where a ratio that grew does so no longer
  /// Of an exact claim that holds further on the ray, where this growth would have left it behind.
  std::optional<double> kept = {};
};

enum class GridVerdict {
  holds,
  fails,
  never_applicable, ///< at no point of the grid: nothing was checked
  not_evaluated,    ///< at some point the claim could not be evaluated
  not_decided, ///< too few points or seeds for a claim of this kind, or larger runs would decide
};

std::string_view name_of(GridVerdict verdict);

/// The mean of left - right over the seeds of one parameter point.
struct Deviation {
  GridValues parameters;
  std::int64_t setting = 0;
  std::int64_t seeds = 0;
  double mean = 0;
  double standard_error = 0;
  double allowed = 0; ///< largest |mean| that passes
  /// Where all seeds give the same count: an event that changes it by 1 may be as likely as this
  /// and be missed by all of them.
  double missed = 0;

  /// Neither a formula that passes nor one that fails.
  bool is_open() const { return std::abs(mean) > allowed && std::abs(mean) < missed; }
  bool refutes() const { return !(std::abs(mean) <= allowed) && !is_open(); }
};

struct GridJudgement {
  lang::ClaimKind kind = lang::ClaimKind::equal;
  GridVerdict verdict = GridVerdict::not_evaluated;
  std::string reason;              ///< of every verdict but `holds`, in words
  std::int64_t applicable = 0;     ///< points that were judged
  std::int64_t not_applicable = 0; ///< points that `when`, `on` or irrational numbers ruled out
  /// The smallest point that fails; of a bound that fails by its growth, the last of the ray.
  std::optional<GridPoint> counterexample;
  std::optional<Trend> trend;        ///< O, Omega, Theta: constants and slopes, if any are needed
  std::vector<Ray> rays;             ///< the one that refutes it; those that leave it undecided
  std::optional<double> constant;    ///< of the exact claim that settled it: constant_of
  std::vector<Deviation> deviations; ///< ~: one a parameter point

  bool passed() const { return verdict == GridVerdict::holds; }
};

/// Fewest points of one setting that a bound passes by. With fewer, wrong bounds of shipped
/// programs were seen to pass.
constexpr std::size_t least_bound_points(std::size_t varying_parameters) {
  return varying_parameters < 2 ? least_points : 20 * (varying_parameters - 1);
}

/// Fewest seeds at each point that a `~` claim is judged by.
constexpr std::int64_t least_seeds = 8;
/// How often a true `~` claim may fail by chance, over all its points together.
constexpr double false_alarm = 0.001;

/// `n=16, p=8`.
std::string place_text(const std::vector<std::string>& names, const GridValues& values);

/// What reasons call a point of a setting: `n=16, p=8 on dmm, lockstep`.
using PlaceName = std::function<std::string(const GridValues&, std::int64_t setting)>;

/// Judges one claim from its outcomes at the points.
///
/// `==`, `<=`, `>=`: must hold at every applicable point, and one must be applicable.
///
/// O, Omega, Theta: it fails only where the ratio grows along one of `rays`, or is infinite or
/// negative (for Omega and Theta, 0). It is not decided where a ray is unclear; where there are
/// none and it seems to grow over the grid (find_trend); where the grid has too few points
/// (least_bound_points in some setting), or does not judge one of `sizes`. Else it holds, with the
/// extreme ratios as its constants. Without a count O holds, and Omega without a formula, whatever
/// the constant is: then there is no trend. `more` says in reasons what is to be given.
///
/// `~`: at each of the k parameter points, with s >= 8 seeds, the mean of count - formula must lie
/// within t standard errors of 0, t the two-sided quantile of Student's distribution with s - 1
/// degrees of freedom at level 0.001 / k: a true claim fails by chance once in a thousand
/// verifications, whatever the number of points (t = 5.4 for one point and 8 seeds, 3.4 for 100). A
/// fixed number of standard errors is not enough, since the standard error of 8 seeds is uncertain.
/// Where all seeds give the same count there is no error, and the formula must equal it.
GridJudgement judge_over_grid(lang::ClaimKind kind, const std::vector<std::string>& names,
                              const std::vector<GridPoint>& points,
                              const std::vector<std::string>& sizes = {},
                              const PlaceName& place = {}, const std::vector<Ray>& rays = {},
                              const std::string& more = "more points");

/// The constant of an exact claim `count <= c * formula` (`>=` for Omega) that holds over the grid,
/// wherever the bound `count = O(formula)` applies: it settles what larger sizes would have to.
std::optional<double> constant_of(const std::vector<GridPoint>& exact,
                                  const std::vector<GridPoint>& bound);

} // namespace memlane
