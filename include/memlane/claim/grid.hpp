// The grid of parameters that `verify` runs a program on.
#pragma once

#include "memlane/claim/growth.hpp"
#include "memlane/lang/typed.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memlane {

/// A parameter or machine letter and its candidates, which may depend on the axes before it (p on w
/// and n). Duplicates are removed.
struct GridAxis {
  std::string name;
  std::function<GridValues(const GridValues& before)> candidates;
  bool size = false;     ///< of the input: a bound that is not judged along it says little
  GridValues fixed = {}; ///< the candidates in rising order, if they are the same after all others
  GridValues unusual = {}; ///< further values, at which results and exact claims are checked alone
};

/// An axis with fixed candidates.
GridAxis fixed_axis(std::string name, GridValues candidates);

/// Whether some axis has an unusual value.
bool is_unusual(const std::vector<GridAxis>& axes, const GridValues& values);
/// The axes with their unusual values and a few of the others; none where no axis has any.
std::vector<GridAxis> unusual_axes(const std::vector<GridAxis>& axes);

/// Combinations of the values of all axes, in lexical order: all of them, or, where they are more
/// than a million, some. `watch` may stop the work, which then gives a part. No axes have one.
class Combinations {
public:
  Combinations() = default;
  Combinations(const std::vector<GridAxis>& axes, Watch* watch = nullptr);

  std::size_t axes() const { return axes_; }
  std::size_t size() const { return axes_ == 0 ? 1 : values_.size() / axes_; }
  std::span<const std::int64_t> operator[](std::size_t number) const {
    return {values_.data() + number * axes_, axes_};
  }

private:
  std::size_t axes_ = 0;
  GridValues values_; ///< of one combination after the other
};

struct GridLimits {
  std::size_t points = 200;
  double cost = 1e6; ///< of all points together, in the unit of the cost function
};

/// The cost of a combination; none: it is left out. Called once for each, in lexical order.
using GridCost = std::function<std::optional<double>(const GridValues&)>;

/// The combinations that have a cost, at most limits.points of them and within limits.cost
/// together, smallest first (by product, then by value). Where there are more, a part of them:
/// first every value of every axis once, then the edges of the grid (at most one axis between its
/// least and its greatest value), which the test of trends needs most, then the inside; within each
/// in a fixed random order, so that the choice has no pattern. Deterministic. Without a function
/// each costs nothing. `watch` may stop the work, which then gives a part.
std::vector<GridValues> spread_grid(const Combinations& all, const GridCost& cost,
                                    const GridLimits& limits, Watch* watch = nullptr);

/// A point that was run, and a count's ratio to a formula there.
struct GridRatio {
  GridValues values;
  double ratio = 0;
};

/// More points for a test of trends: whole lines of candidates of an axis. The
/// first function gives those of all axes through the point of greatest (or least) ratio; the
/// second, for every group of an axis' values (each less than a factor of two wide), the line of
/// that axis through the group's extreme point; the third the lines of all axes through these, to
/// see whether some group has a greater (or lesser) ratio than is known. Without the points given.
/// The caller decides whether they can be run. O(axes * points * log points).
std::vector<GridValues> lines_through_extreme(const std::vector<GridAxis>& axes,
                                              const std::vector<GridRatio>& points, bool greatest);
std::vector<GridValues> lines_of_groups(const std::vector<GridAxis>& axes,
                                        const std::vector<GridRatio>& points, bool greatest);
std::vector<GridValues> lines_through_groups(const std::vector<GridAxis>& axes, std::size_t axis,
                                             const std::vector<GridRatio>& points, bool greatest);

/// Axes for a program on a machine with one memory: w, then every parameter whose default is a
/// number of its own, then l, then p.
///
/// w 4, 8, 16, 32. l 1, 2, 5, 20, 100, 10^4, 10^6, 10^8: latencies far above all else cost nothing
/// to simulate, and show which ratios settle. A size (default of at least 16): powers of two from 8
/// to 4096, 9, 24, 65, 999, and its default if that is no larger or its condition refuses all
/// others; a small parameter: 0, 1, 2, 3, 4, 8 and its default; a bool: both, unless a used program
/// declares it. p: w, 2w, 4w, 8w and n/2, n, 4n rounded up to whole warps, for the largest size n.
/// Unusual are w 1 and 6, and sizes 1, 2, 3, 4, 5 and 7: a bound speaks of larger ones. With many
/// parameters each takes fewer values. `where` and the like are for `accept`.
/// `limits` may stop the work: conditions then refuse nothing more.
std::vector<GridAxis> default_axes(const lang::Checked& checked, const Limits& limits = {});

} // namespace memlane
