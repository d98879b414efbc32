// Compares the order of algorithms in a model with their measured order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane::measure {

/// Pairs of items in two rankings. Counts of several groups add up; only items of one group form
/// pairs.
struct PairCounts {
  std::int64_t concordant = 0, discordant = 0;
  std::int64_t ties_first = 0;  ///< equal in the first ranking alone
  std::int64_t ties_second = 0; ///< equal in the second ranking alone
  std::int64_t ties_both = 0;

  PairCounts& operator+=(const PairCounts& other);
  std::int64_t pairs() const;
  bool operator==(const PairCounts&) const = default;
};

/// Requires lists of equal length; O(n^2).
PairCounts count_pairs(const std::vector<double>& first, const std::vector<double>& second);

/// Kendall's tau-b [Kendall 1945]: 1 for the same order, -1 for the reverse; a tie in one ranking
/// alone brings it nearer to 0. None if a ranking has ties alone, or there is no pair.
std::optional<double> tau_b(const PairCounts& counts);

/// One algorithm at one size.
struct CurvePoint {
  double size = 0;                ///< n; 0: the algorithm has no n
  double model = 0, measured = 0; ///< nanoseconds
  /// Quartiles of the samples: differences within them may be chance.
  double measured_low = 0, measured_high = 0;
};

/// One algorithm over its sizes, ascending and each once.
struct Curve {
  std::string name;
  std::string problem; ///< only curves of one problem are compared
  std::vector<CurvePoint> points;
};

/// At one size, `first` is faster in the model and `second` is faster as measured.
struct Inversion {
  std::string first, second;
  CurvePoint first_point, second_point;
  bool within_spread = false; ///< the ranges between the quartiles overlap
};

struct SizeOrder {
  std::string problem;
  double size = 0;
  std::vector<std::string> curves; ///< measured and simulated at this size
  PairCounts pairs;
};

/// Sizes at which two curves cross.
struct Crossing {
  std::string first, second;
  double least = 0, greatest = 0; ///< range of the common sizes
  std::vector<double> model, measured;
};

struct Ordering {
  std::vector<SizeOrder> sizes; ///< with at least two curves, by problem and size
  PairCounts pairs;             ///< of all problems and sizes together
  std::vector<Inversion> inversions;
  std::vector<Crossing> crossings; ///< in the model, as measured, or both
};

/// Compares the curves of each problem at their common sizes.
Ordering order_curves(const std::vector<Curve>& curves);

/// Where two curves over the same ascending sizes cross, by log-log interpolation between
/// neighbouring sizes, which is exact for power laws. If they are equal at some sizes and then
/// cross, the first of these sizes. Curves that only touch do not cross. Requires positive numbers.
std::vector<double> crossings(const std::vector<double>& sizes, const std::vector<double>& first,
                              const std::vector<double>& second);

} // namespace memlane::measure
