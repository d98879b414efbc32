// The best value of one or two parameters among the points of a sweep, and the range of values
// that are nearly as good.
#pragma once

#include "memlane/sweep/store.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::sweep {

/// What a value came to: one count of its run. Smaller is better.
struct Objective {
  double value = 0;                       ///< of several seeds their mean
  std::optional<std::int64_t> whole = {}; ///< the same without rounding, where it is a whole number
};
/// Whole numbers exactly, others as real numbers.
bool is_less(const Objective& a, const Objective& b);
/// a/b; none if b is 0 and a is not; 1 if both are 0.
std::optional<double> ratio_of(const Objective& a, const Objective& b);
/// Whether an objective is at most so much worse than the best one: `within` 0.05 is 5 %.
bool is_near(const Objective& objective, const Objective& best, double within);
/// The mean of cells that are numbers; none if a cell is not one, or there is no cell.
std::optional<Objective> mean_of(const std::vector<Cell>& cells);

/// A parameter, a value of the machine, a layout, …: what is tuned.
struct TunedAxis {
  std::string title;               ///< `alpha`, `shared.latency`, `layout t`
  std::vector<std::string> values; ///< in the order of the command
  /// The values' numbers, where all are numbers: then ranges and trends have a meaning.
  std::vector<double> numbers;
};
/// Finds the numbers of an axis.
TunedAxis tuned_axis(std::string title, std::vector<std::string> values);

/// One value, or a combination of values of two axes.
struct TunedValue {
  std::vector<std::size_t> at;        ///< the number of its value on each axis
  std::optional<Objective> objective; ///< none: it cannot be chosen
};

enum class Trend : std::uint8_t { improves, worsens, level };
/// `improves`, `worsens`, `level`.
std::string_view name_of(Trend trend);

/// Neighbouring values between which the objective moves in one direction.
struct TrendPart {
  Trend trend = Trend::level;
  std::size_t first = 0, last = 0; ///< numbers of values in Tuning::values' list
};

/// The values of one axis, those of the other as at the best. Numbers are in ascending order,
/// other values from the best to the worst.
struct TuningLine {
  std::vector<std::size_t> values; ///< that can be chosen, by number
  /// Worth using: values at most `within` worse than the best. Of numbers, those around the best
  /// without one between them that is worse; of others all. Places in `values`, both included.
  std::size_t range_first = 0, range_last = 0;
  std::vector<TrendPart> trend; ///< of numbers alone
  /// The best is the least or the greatest value that can be chosen, and another one is worse.
  bool at_least = false, at_greatest = false;
};

struct Tuning {
  std::size_t best = 0;          ///< of equal ones that with the least values
  std::vector<std::size_t> ties; ///< others that are as good, in order
  std::vector<TuningLine> lines; ///< by axis
  /// Of two axes: for each value of the first that can be chosen, the best value of the second.
  std::vector<std::size_t> best_of_rows;
  bool all_equal = false; ///< every value gives the same, and there are several
};

/// Requires axes and values of the same combinations; `within` is a ratio, 0.05 for 5 %. None if no
/// value can be chosen. Cost: O(values * log(values)).
std::optional<Tuning> tune(const std::vector<TunedAxis>& axes,
                           const std::vector<TunedValue>& values, double within);

} // namespace memlane::sweep
