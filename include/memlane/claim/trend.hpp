// Whether a ratio stays bounded when parameters grow: the test behind O, Omega and Theta claims.
//
// A claim count = O(formula) says that count / formula stays below some constant. Finitely many
// runs cannot prove that, but they show its trend. The test, for every parameter x that takes at
// least three values in the grid:
//
//   1. Fit log ratio = c + sum over the varying parameters y of s_y * log y by least squares, once
//      to all points and once to the tail of x: the points with x at or above the middle one of
//      its values. O is about large values; the tail forgets how a ratio settles at small ones.
//   2. The slope s_x of a fit is *clearly above* a when its one-sided 99 % lower confidence bound
//      (Student's t) is; *clearly below* likewise.
//   3. The ratio grows with x if the tail's slope is clearly above `tail_tolerance` and the slope
//      over all points clearly above `whole_tolerance`; it vanishes if both are clearly below the
//      negatives.
//
// O fails if the ratio grows with some parameter, Omega if it vanishes, Theta if either. Slopes
// within the tolerances are what a bounded ratio shows when it moves between the constants of its
// terms: simulated counts of 8 n/w + 5 nl/p + 3 l log n over n/w + nl/p + l log n stay below 0.11.
// A forgotten log n gives about 0.19 over n = 16 ... 4096 and 0.145 over its tail; forgotten terms
// and wrong powers give more.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace memlane {

constexpr double tail_tolerance = 0.12;
constexpr double whole_tolerance = 0.08;
constexpr double trend_confidence = 0.99;

/// One run: the parameters' values (all positive) and count / formula there.
struct TrendPoint {
  std::vector<double> parameters;
  double ratio = 0;
};

/// A slope d log ratio / d log x with its one-sided bounds; equal where the fit is exact.
struct Slope {
  double value = 0;
  double lower = 0;
  double upper = 0;
};

enum class Direction { bounded, grows, vanishes };

/// What the grid says about one parameter.
struct ParameterTrend {
  std::string name;
  bool judged = false;
  std::string reason; ///< why not judged, or which parameter it moves with
  Slope whole;        ///< over all points
  Slope tail;         ///< over the upper half of its values
  Direction direction = Direction::bounded;
};

struct Trend {
  bool judged = false; ///< some parameter was, and none that should be could not
  std::string reason;  ///< why not
  double least = 0;    ///< of the ratios: the fitted constants
  double greatest = 0;
  std::vector<ParameterTrend> parameters; ///< in the order of the names

  bool any(Direction direction) const;
};

/// The test above. Requires as many parameters in each point as names. Ratios of 0 count for
/// `least` alone. O(points * parameters^2).
Trend find_trend(const std::vector<std::string>& names, const std::vector<TrendPoint>& points);

} // namespace memlane
