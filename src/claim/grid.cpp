#include "memlane/claim/grid.hpp"

#include "memlane/support/random.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace memlane {
namespace {

constexpr std::uint64_t draw_seed = 1;
/// Maximum share of the cost limit for one point.
constexpr double largest_share = 0.1;
/// Values of an axis that its unusual ones are combined with those of others at.
constexpr std::size_t most_beside_unusual = 3;

/// Combinations that have a cost.
struct PricedPoints {
  std::size_t axes() const { return all.axes(); }
  std::size_t size() const { return numbers.size(); }
  std::span<const std::int64_t> operator[](std::size_t index) const { return all[numbers[index]]; }

  const Combinations& all;
  std::vector<std::size_t> numbers; ///< in lexical order
};

/// For each point, in how many axes its value is between the least and the greatest of the points
/// with the same values in earlier axes.
std::vector<std::size_t> inner_coordinates(const PricedPoints& points) {
  std::vector<std::size_t> inner(points.size());
  // Of each the first axis in which it differs from the one before.
  std::vector<std::size_t> differs(points.size());
  for (std::size_t i = 1; i < points.size(); ++i)
    while (points[i][differs[i]] == points[i - 1][differs[i]]) ++differs[i];
  for (std::size_t k = 0; k < points.axes(); ++k) {
    for (std::size_t first = 0, end = 0; first < points.size(); first = end) {
      do ++end;
      while (end < points.size() && differs[end] >= k);
      const std::int64_t least = points[first][k], greatest = points[end - 1][k];
      for (std::size_t i = first; i < end; ++i)
        if (points[i][k] != least && points[i][k] != greatest) ++inner[i];
    }
  }
  return inner;
}

/// Selects points, in the order of `take`, within the limits.
class Selection {
public:
  Selection(const PricedPoints& points, const std::vector<double>& costs, const GridLimits& limits)
      : points_(points), costs_(costs), limits_(limits), taken_(points.size(), false),
        unseen_(points.axes()) {
    for (std::size_t k = 0; k < unseen_.size(); ++k) {
      std::set<std::int64_t> values;
      std::optional<std::int64_t> last; // neighbours mostly have the same
      for (std::size_t i = 0; i < points.size(); ++i)
        if (points[i][k] != last && may_take(i)) values.insert(*(last = points[i][k]));
      unseen_[k].assign(values.begin(), values.end());
    }
  }

  /// Whether the point alone is within the limits.
  bool may_take(std::size_t index) const {
    return costs_[index] <= limits_.cost && costs_[index] <= limits_.cost * largest_share;
  }

  void take(std::size_t index) {
    if (taken_[index] || is_full()) return;
    const double cost = costs_[index];
    if (!(spent_ + cost <= limits_.cost && may_take(index))) return;
    spent_ += cost;
    ++count_;
    taken_[index] = true;
    for (std::size_t k = 0; k < unseen_.size(); ++k) std::erase(unseen_[k], points_[index][k]);
  }

  bool is_full() const { return count_ >= limits_.points; }

  /// Whether some axis has values that no taken point has.
  bool lacks_values() const {
    return std::any_of(unseen_.begin(), unseen_.end(), [](const auto& v) { return !v.empty(); });
  }
  /// Whether the point has a value of some axis that no taken point has.
  bool shows_more(std::size_t index) const {
    for (std::size_t k = 0; k < unseen_.size(); ++k)
      if (!unseen_[k].empty() && is_unseen(k, points_[index][k])) return true;
    return false;
  }

  std::vector<GridValues> result() const {
    std::vector<GridValues> chosen;
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (taken_[i]) chosen.emplace_back(points_[i].begin(), points_[i].end());
    return chosen;
  }

private:
  bool is_unseen(std::size_t axis, std::int64_t value) const {
    return std::find(unseen_[axis].begin(), unseen_[axis].end(), value) != unseen_[axis].end();
  }

  const PricedPoints& points_;
  const std::vector<double>& costs_;
  const GridLimits& limits_;
  std::vector<bool> taken_;
  std::vector<GridValues> unseen_; ///< by axis: values that no taken point has
  std::size_t count_ = 0;
  double spent_ = 0;
};

/// Indices in a fixed random order, which is made only as far as it is read: mostly a small part.
class RandomOrder {
public:
  void add(std::size_t index) { keyed_.emplace_back(random_bits(draw_seed, 0, index), index); }
  std::size_t size() const { return keyed_.size(); }
  std::size_t operator[](std::size_t place) {
    while (place >= sorted_) sort_more();
    return keyed_[place].second;
  }

private:
  void sort_more() {
    const auto at = [&](std::size_t n) { return keyed_.begin() + static_cast<std::ptrdiff_t>(n); };
    const std::size_t end = std::min(keyed_.size(), std::max<std::size_t>(1024, 2 * sorted_));
    std::nth_element(at(sorted_), at(end), keyed_.end());
    std::sort(at(sorted_), at(end));
    sorted_ = end;
  }

  std::vector<std::pair<std::uint64_t, std::size_t>> keyed_;
  std::size_t sorted_ = 0;
};

/// The point with the greatest (least) ratio in each group of the axis' values.
std::vector<const GridRatio*> extremes_along(std::size_t axis, const std::vector<GridRatio>& points,
                                             bool greatest) {
  std::vector<const GridRatio*> sorted;
  for (const GridRatio& point : points)
    if (point.values[axis] > 0) sorted.push_back(&point);
  std::stable_sort(sorted.begin(), sorted.end(), [axis](const GridRatio* a, const GridRatio* b) {
    return a->values[axis] < b->values[axis];
  });
  std::vector<const GridRatio*> extremes;
  std::int64_t first = 0; ///< least value of the group
  for (const GridRatio* point : sorted) {
    const std::int64_t value = point->values[axis];
    if (extremes.empty() || value >= 2 * first) {
      first = value;
      extremes.push_back(point);
    } else if (greatest ? point->ratio > extremes.back()->ratio
                        : point->ratio < extremes.back()->ratio) {
      extremes.back() = point;
    }
  }
  return extremes;
}

/// Collects points on lines along axes, without the known ones.
struct Lines {
  Lines(const std::vector<GridAxis>& all, const std::vector<GridRatio>& points) : axes(all) {
    for (const GridRatio& point : points) known.insert(point.values);
  }
  void add(std::size_t axis, const GridValues& through) {
    const auto at = through.begin() + static_cast<std::ptrdiff_t>(axis);
    for (const std::int64_t value : axes[axis].candidates({through.begin(), at})) {
      GridValues values = through;
      values[axis] = value;
      if (known.insert(values).second) wanted.push_back(std::move(values));
    }
  }

  const std::vector<GridAxis>& axes;
  std::set<GridValues> known;
  std::vector<GridValues> wanted;
};

} // namespace

bool is_smaller(const GridValues& a, const GridValues& b) {
  const auto size = [](const GridValues& values) {
    double sum = 0;
    for (std::int64_t value : values) sum += std::log2(1 + std::abs(static_cast<double>(value)));
    return sum;
  };
  const double left = size(a), right = size(b);
  return left != right ? left < right : a < b;
}

GridAxis fixed_axis(std::string name, GridValues candidates) {
  GridValues rising = candidates;
  std::sort(rising.begin(), rising.end());
  rising.erase(std::unique(rising.begin(), rising.end()), rising.end());
  const auto always = [values = std::move(candidates)](const GridValues&) { return values; };
  return {std::move(name), always, false, std::move(rising), {}};
}

bool is_unusual(const std::vector<GridAxis>& axes, const GridValues& values) {
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const GridValues& unusual = axes[k].unusual;
    if (std::find(unusual.begin(), unusual.end(), values[k]) != unusual.end()) return true;
  }
  return false;
}

std::vector<GridAxis> unusual_axes(const std::vector<GridAxis>& axes) {
  std::vector<GridAxis> all = axes;
  bool any = false;
  for (GridAxis& axis : all) {
    GridValues values = axis.fixed;
    if (!axis.unusual.empty()) { // the least cost least
      any = true;
      values.resize(std::min(values.size(), most_beside_unusual));
      values.insert(values.begin(), axis.unusual.begin(), axis.unusual.end());
    } else if (values.size() > most_beside_unusual) {
      values = {values.front(), values[values.size() / 2], values.back()};
    }
    if (!values.empty()) axis = fixed_axis(axis.name, std::move(values));
  }
  return any ? all : std::vector<GridAxis>{};
}

std::vector<GridValues> spread_grid(const Combinations& all, const GridCost& cost,
                                    const GridLimits& limits, Watch* watch) {
  PricedPoints points{all, {}};
  std::vector<double> costs;
  GridValues values;
  for (std::size_t number = 0; number < all.size(); ++number) {
    values.assign(all[number].begin(), all[number].end());
    const auto own = !cost ? std::optional(0.0) : goes_on(watch) ? cost(values) : std::nullopt;
    if (!own) continue;
    points.numbers.push_back(number);
    costs.push_back(*own);
  }

  const std::vector<std::size_t> inner = inner_coordinates(points);
  Selection selection(points, costs, limits);
  RandomOrder order;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (selection.may_take(i)) order.add(i);
  for (std::size_t k = 0; k < order.size() && selection.lacks_values() && goes_on(watch); ++k)
    if (selection.shows_more(order[k])) selection.take(order[k]);
  for (std::size_t most_inner : {std::size_t{1}, all.axes()})
    for (std::size_t k = 0; k < order.size() && !selection.is_full() && goes_on(watch); ++k)
      if (inner[order[k]] <= most_inner) selection.take(order[k]);

  std::vector<GridValues> chosen = selection.result();
  std::sort(chosen.begin(), chosen.end(), is_smaller);
  return chosen;
}

std::vector<GridValues> lines_through_extreme(const std::vector<GridAxis>& axes,
                                              const std::vector<GridRatio>& points, bool greatest) {
  Lines lines(axes, points);
  if (points.empty()) return lines.wanted;
  const auto less = [](const GridRatio& a, const GridRatio& b) { return a.ratio < b.ratio; };
  const auto extreme = greatest ? std::max_element(points.begin(), points.end(), less)
                                : std::min_element(points.begin(), points.end(), less);
  // The last axes are machine letters. Their lines cost least, so they come first.
  for (std::size_t axis = axes.size(); axis-- > 0;) lines.add(axis, extreme->values);
  return lines.wanted;
}

std::vector<GridValues> lines_of_groups(const std::vector<GridAxis>& axes,
                                        const std::vector<GridRatio>& points, bool greatest) {
  Lines lines(axes, points);
  for (std::size_t axis = axes.size(); axis-- > 0;)
    for (const GridRatio* of_group : extremes_along(axis, points, greatest))
      lines.add(axis, of_group->values);
  return lines.wanted;
}

std::vector<GridValues> lines_through_groups(const std::vector<GridAxis>& axes, std::size_t axis,
                                             const std::vector<GridRatio>& points, bool greatest) {
  Lines lines(axes, points);
  const std::vector<const GridRatio*> extremes = extremes_along(axis, points, greatest);
  for (std::size_t along = axes.size(); along-- > 0;)
    for (const GridRatio* of_group : extremes) lines.add(along, of_group->values);
  return lines.wanted;
}

} // namespace memlane
