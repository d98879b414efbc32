// Whether a model puts algorithms in the order in which they were measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane::measure {

/// Pairs of things that two judges ranked. Counts of several groups may be added: then only things
/// of one group were held against each other.
struct PairCounts {
  std::int64_t concordant = 0, discordant = 0;
  std::int64_t ties_first = 0;  ///< equal for the first judge alone
  std::int64_t ties_second = 0; ///< equal for the second judge alone
  std::int64_t ties_both = 0;

  PairCounts& operator+=(const PairCounts& other);
  std::int64_t pairs() const;
  bool operator==(const PairCounts&) const = default;
};

/// All pairs of places of two lists of one length. O(n^2).
PairCounts count_pairs(const std::vector<double>& first, const std::vector<double>& second);

/// Kendall's tau-b [Kendall 1945]: 1 the same order, -1 the reverse; pairs that one judge ties
/// count against it. None where a judge ties everything, or there is no pair.
std::optional<double> tau_b(const PairCounts& counts);

/// One algorithm at one size.
struct CurvePoint {
  double size = 0;                ///< n; 0: the algorithm has no n
  double model = 0, measured = 0; ///< nanoseconds
  /// The middle half of the samples: what may be chance.
  double measured_low = 0, measured_high = 0;
};

/// One algorithm over its sizes, ascending and each once.
struct Curve {
  std::string name;
  std::string problem; ///< only curves of one problem are compared
  std::vector<CurvePoint> points;
};

/// At one size the model has `first` before `second`; measured, `second` was before `first`.
struct Inversion {
  std::string first, second;
  CurvePoint first_point, second_point;
  bool within_spread = false; ///< the middle halves of the samples overlap
};

struct SizeOrder {
  std::string problem;
  double size = 0;
  std::vector<std::string> curves; ///< that were measured and simulated at this size
  PairCounts pairs;
};

/// Sizes at which two curves cross: in the model, and as measured.
struct Crossing {
  std::string first, second;
  double least = 0, greatest = 0; ///< common sizes, between which was looked
  std::vector<double> model, measured;
};

struct Ordering {
  std::vector<SizeOrder> sizes; ///< with at least two curves, by problem and size
  PairCounts pairs;             ///< of all problems and sizes together
  std::vector<Inversion> inversions;
  std::vector<Crossing> crossings; ///< of pairs that cross in the model or in the measurement
};

/// Compares the curves of each problem at the sizes that they have in common.
Ordering order_curves(const std::vector<Curve>& curves);

/// Where two curves over the same ascending sizes cross: log-log interpolation between neighbouring
/// sizes, as a power law would run; at sizes where they are equal, the first of these sizes. Curves
/// that only touch do not cross. Requires positive numbers.
std::vector<double> crossings(const std::vector<double>& sizes, const std::vector<double>& first,
                              const std::vector<double>& second);

} // namespace memlane::measure
