// Points beyond the sizes that are simulated: counts by the formulas of claims.
#pragma once

#include "memlane/points/plan.hpp"
#include "memlane/store/store.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// Which points, and by which formulas.
struct Continuation {
  SweepSpec beyond;  ///< the points: the sweep that is run, with larger values
  std::string along; ///< the axis whose values are larger
  /// Count, as a column of results, and the beginning of the claim whose right side gives it:
  /// `global_stages` and `global_stages <=`.
  std::vector<std::pair<std::string, std::string>> counts;
  Span span;
};

/// A claim's formula for one count along one line of runs: those that differ in the axis alone.
struct ScaledFormula {
  std::string line;    ///< a point's label without the axis: `io_optimal_sort on hmm-k20c, ways=4`
  std::string count;   ///< a column of results
  std::string claim;   ///< the claim's text in its program
  double factor = 1;   ///< count / formula at the largest run
  std::string largest; ///< the value of the axis there
  /// How far the formula, scaled at the next smaller run, is from the largest: -0.03 says 3 % too
  /// little. None if the line has one run.
  std::optional<double> error;
};

/// A point that was not run.
struct ContinuedPoint {
  std::int64_t number = 0;                            ///< its number in the plan of points beyond
  std::string largest;                                ///< the key of the largest run of its line
  std::vector<ir::Constant> parameters;               ///< all parameters of the program
  std::vector<std::pair<std::string, double>> counts; ///< keyed by column
};

struct ContinuedPoints {
  std::vector<ContinuedPoint> points;
  std::vector<ScaledFormula> formulas;
};

/// A count of a run that is in the store; none where the store lacks it.
using CountOfRun =
    std::function<std::optional<double>(const std::string& key, const std::string& column)>;

/// The points of `beyond` from the runs of `run`, two plans that differ in the values of one axis.
/// The formula is scaled so that it gives the count of the largest run of the line. Errors: a
/// program without the claim, a formula that does not apply or names a count, a line without runs.
Result<ContinuedPoints> continue_points(const Continuation& continuation, const Plan& run,
                                        const Plan& beyond, const CountOfRun& count,
                                        const Sources& sources);

} // namespace memlane::sweep
