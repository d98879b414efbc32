// Whether a ratio seems to grow with a parameter: the first look at O, Omega and Theta claims.
//
// A claim count = O(formula) says that count / formula stays below some constant. Runs over a grid
// show where it may not; runs beyond the grid decide (growth.hpp). The test looks at the *greatest*
// ratio (for Omega the least), since that is what the constant bounds. For every parameter x:
//
//   1. Put the points of one setting (machine model, lockstep or not, layout) into groups by x; a
//      group holds the values from its smallest to less than twice that. Keep the greatest ratio
//      of each group, at its x: the envelope. The grid has whole lines along x through these
//      points (lines_through_extremes in grid.hpp), so that groups are compared at the same values
//      of the other parameters, not at random ones.
//   2. Fit log ratio = c + s log x to the envelope by least squares. The envelope *seems to grow*
//      if s is above `whole_tolerance`, and if the slope over the tail, the upper half of the
//      groups, is above `tail_tolerance` and adds up to a factor of `tail_change` there: over few
//      values a constant looks like a slope.
//   3. Where the one-sided 99 % lower confidence bound of s (Student's t) is not above the
//      tolerance, the envelope scatters. Then the line through the setting's greatest ratio of all
//      decides, if the grid has it: nothing but x changes on it. It must rise likewise.
//
// The least ratios *seem to vanish* if the same is true with the signs turned.
//
// A ratio that moves between the constants of a sum's terms may seem to grow as far as any grid
// goes: n^2*l/p with p up to 512 hides n^2/w behind a latency of 10^8. A forgotten log n has a
// slope of 0.20 over n = 16 ... 4096 and still 0.146 over the tail; forgotten terms and wrong
// powers have more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memlane {

/// Values of parameters, in an order that all have.
using GridValues = std::vector<std::int64_t>;
/// Orders points by the product of their values plus one, then value by value.
bool is_smaller(const GridValues& a, const GridValues& b);

constexpr double whole_tolerance = 0.05;
constexpr double tail_tolerance = 0.13;
constexpr double tail_change = 1.4;
constexpr double trend_confidence = 0.99;

/// One run: the parameters' values and count / formula there.
struct TrendPoint {
  GridValues parameters;
  double ratio = 0;
  std::int64_t setting = 0; ///< points of different settings are not compared with each other
};

/// How the envelope of greatest (or least) ratios runs with one parameter.
struct Envelope {
  double slope = 0; ///< d log ratio / d log x
  double lower = 0; ///< its one-sided confidence bounds; equal to it where the fit is exact
  double upper = 0;
  double tail = 0;        ///< slope over the upper half
  double tail_length = 0; ///< of log x there
  bool line = false;      ///< whether the grid has the line through the greatest (least) of all
  double line_slope = 0;
  double line_tail = 0;
  double line_tail_length = 0;
};

/// What the grid says about one parameter: of all settings the worst.
struct ParameterTrend {
  std::string name;
  bool judged = false;     ///< false: fewer than least_groups groups in every setting
  std::int64_t groups = 0; ///< most of any setting
  Envelope greatest;
  Envelope least;

  bool seems_to_grow() const;   ///< the greatest ratios do
  bool seems_to_vanish() const; ///< the least ratios do
};

struct Trend {
  bool judged = false;
  std::string reason; ///< why not
  double least = 0;   ///< of the ratios: the fitted constants
  double greatest = 0;
  GridValues least_at, greatest_at;                     ///< the parameters of the first such points
  std::int64_t least_setting = 0, greatest_setting = 0; ///< and the settings
  std::vector<ParameterTrend> parameters;               ///< in the order of the names
};

/// Fewest points that are judged at all, and fewest groups of a parameter: with three, a slope's
/// own error is all but unknown.
constexpr std::size_t least_points = 8;
constexpr std::size_t least_groups = 4;
/// Fewest groups on a line, which has no scatter.
constexpr std::size_t least_line = 3;

/// The test above. Requires as many parameters in each point as names. Points with a ratio of 0 or
/// infinity only count for `least` and `greatest`, those where a parameter is not positive do not
/// count for the trend along this parameter.
/// O(parameters * points * log points).
Trend find_trend(const std::vector<std::string>& names, const std::vector<TrendPoint>& points);

} // namespace memlane
