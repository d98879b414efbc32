// The verdict on a claim over a grid of runs.
#pragma once

#include "memlane/claim/claim.hpp"
#include "memlane/claim/trend.hpp"

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
  std::int64_t setting = 0; ///< of trend.hpp: model, lockstep, layout
  ClaimOutcome outcome;     ///< without text and source
};

enum class GridVerdict {
  holds,
  fails,
  never_applicable, ///< at no point of the grid: nothing was checked
  not_evaluated,    ///< at some point the claim could not be evaluated
  not_decided, ///< too few points or seeds for a claim of this kind, or a trend that may be one
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
};

struct GridJudgement {
  lang::ClaimKind kind = lang::ClaimKind::equal;
  GridVerdict verdict = GridVerdict::not_evaluated;
  std::string reason;              ///< of every verdict but `holds`, in words
  std::int64_t applicable = 0;     ///< points that were judged
  std::int64_t not_applicable = 0; ///< points that `when`, `on` or irrational numbers ruled out
  /// The smallest point that fails; of a bound that fails by its trend, the point of the greatest
  /// ratio (of Omega, the least).
  std::optional<GridPoint> counterexample;
  std::optional<Trend> trend;        ///< O, Omega, Theta: constants and slopes
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
/// How many points a grid was given.
enum class GridSize : std::uint8_t { standard, small };

/// What reasons call a point of a setting: `n=16, p=8 on dmm, lockstep`.
using PlaceName = std::function<std::string(const GridValues&, std::int64_t setting)>;

/// Judges one claim from its outcomes at the points.
///
/// `==`, `<=`, `>=`: must hold at every applicable point, and one must be applicable.
///
/// O, Omega, Theta: find_trend (trend.hpp) over the applicable points. A ratio that is infinite or
/// negative fails, and so does a ratio of 0 for Omega and Theta. It passes only with
/// least_bound_points in some setting, and if `sizes` were judged among the parameters. With fewer
/// points, and on a small grid, only a steep trend refutes it.
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
                              const PlaceName& place = {}, GridSize size = GridSize::standard);

} // namespace memlane
