// The best value of one or two parameters among the points of a sweep, the values that are nearly
// as good, and whether the best is at an edge.
#pragma once

#include "memlane/store/store.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memlane::sweep {

/// Whole numbers exactly, others as real numbers. Requires numbers.
bool is_less(const Cell& a, const Cell& b);
/// Whether a number is at most so many percent worse than the best one.
bool is_near(const Cell& number, const Cell& best, double percent);
/// a/b; none if one of them is no number, or b is 0 and a is not; 1 if both are 0.
std::optional<double> ratio_of(const Cell& a, const Cell& b);
/// The mean of cells, the same whole number if all are; nothing if one of them is no number, or
/// there is none.
Cell mean_of(const std::vector<Cell>& cells);

/// A parameter, a value of the machine, a layout, …: what is tuned.
struct TunedAxis {
  std::string title;               ///< `alpha`, `shared.latency`, `layout t`
  std::vector<std::string> values; ///< sorted as the command lists them
  /// The values' numbers, where all are numbers: then ranges and edges have a meaning.
  std::vector<double> numbers;
};
/// Finds the numbers of an axis.
TunedAxis tuned_axis(std::string title, std::vector<std::string> values);

/// One value, or a combination of values of two axes.
struct TunedValue {
  std::vector<std::size_t> at; ///< the number of its value on each axis
  Cell objective;              ///< smaller is better; no number: it cannot be chosen
};

/// The values of one axis, those of the other as at the best. Numbers are in ascending order,
/// other values from the best to the worst.
struct TuningLine {
  /// At most so many percent worse than the best: of numbers, those around the best without one
  /// between them that is worse; of others all.
  std::vector<std::size_t> worth;
  std::vector<std::size_t> apart; ///< numbers that are nearly as good, but not beside the best
  /// The best is the least or the greatest number that can be chosen, and another one is worse.
  bool at_least = false, at_greatest = false;
};

/// Refers to values by their number in the list.
struct Tuning {
  std::size_t best = 0;          ///< where several are equal, the one with the least values
  std::vector<std::size_t> ties; ///< other values that are as good, in order
  std::vector<TuningLine> lines; ///< one for each axis
  bool all_equal = false;        ///< every value gives the same, and there are several
};

/// Requires axes and values of the same combinations; `percent` says which are nearly as good as
/// the best. None if no value can be chosen. Cost: O(values * log(values)).
std::optional<Tuning> tune(const std::vector<TunedAxis>& axes,
                           const std::vector<TunedValue>& values, double percent);

} // namespace memlane::sweep
