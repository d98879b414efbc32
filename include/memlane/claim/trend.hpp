// Whether a ratio stays bounded when parameters grow: the test behind O, Omega and Theta claims.
//
// A claim count = O(formula) says that count / formula stays below some constant. Finitely many
// runs cannot prove that, but they show a trend. The test looks at the *greatest* ratio (for
// Omega the least), since that is what the constant bounds. For every parameter x:
//
//   1. Put the points into groups by x; a group holds the values from its smallest to less than
//      twice that. Keep the greatest ratio of each group, at its x: the envelope.
//   2. Fit log ratio = c + s log x to the envelope by least squares. The envelope *grows* if the
//      one-sided 99 % lower confidence bound of s (Student's t) is above `whole_tolerance`, and if
//      the slope over the tail, the upper half of the groups, is above `tail_tolerance`.
//
// O fails if the envelope of greatest ratios grows with some parameter; Omega if that of the least
// ratios vanishes (the same with the signs turned); Theta if either. The two parts of 2 answer two
// questions. Is there a slope, or only scatter? And does it go on for large values, which are what
// O is about? A ratio that settles, or moves between the constants of its terms, has a slope that
// dies out in the tail; a forgotten log n has 0.20 over n = 16 ... 4096 and still 0.146 over the
// tail; forgotten terms and wrong powers have more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memlane {

constexpr double whole_tolerance = 0.03;
constexpr double tail_tolerance = 0.1;
constexpr double trend_confidence = 0.99;

/// One run: the parameters' values (all positive) and count / formula there.
struct TrendPoint {
  std::vector<double> parameters;
  double ratio = 0;
};

/// How the envelope of greatest (or least) ratios runs with one parameter.
struct Envelope {
  double slope = 0; ///< d log ratio / d log x
  double lower = 0; ///< its one-sided confidence bounds; equal to it where the fit is exact
  double upper = 0;
  double tail = 0; ///< slope over the upper half
};

/// What the grid says about one parameter.
struct ParameterTrend {
  std::string name;
  bool judged = false; ///< false: fewer than least_groups groups
  std::int64_t groups = 0;
  Envelope greatest;
  Envelope least;

  bool grows() const;    ///< the greatest ratios do
  bool vanishes() const; ///< the least ratios do
};

struct Trend {
  bool judged = false;
  std::string reason; ///< why not
  double least = 0;   ///< of the ratios: the fitted constants
  double greatest = 0;
  std::vector<ParameterTrend> parameters; ///< in the order of the names
};

/// Fewest points that are judged at all, and fewest groups of a parameter: with three, a slope's
/// own error is all but unknown.
constexpr std::size_t least_points = 8;
constexpr std::size_t least_groups = 4;

/// The test above. Requires as many parameters in each point as names. Points with a ratio of 0 or
/// infinity, or a parameter that is not positive, only count for `least` and `greatest`.
/// O(parameters * points * log points).
Trend find_trend(const std::vector<std::string>& names, const std::vector<TrendPoint>& points);

} // namespace memlane
