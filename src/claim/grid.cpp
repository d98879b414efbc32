#include "memlane/claim/grid.hpp"

#include "memlane/support/random.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace memlane {
namespace {

constexpr std::uint64_t draw_seed = 1;
/// Maximum share of the cost limit for one point.
constexpr double largest_share = 0.1;
/// Values of an axis that its unusual ones are combined with those of others at.
constexpr std::size_t most_beside_unusual = 3;

/// Combinations that have a cost, in lexical order. They may be a million: each is looked at a few
/// times.
struct PricedPoints {
  explicit PricedPoints(const Combinations& from) : all(from) {}

  std::size_t axes() const { return all.axes(); }
  std::size_t size() const { return costs.size(); }
  const std::int64_t* operator[](std::size_t index) const { return rows[index]; }

  void add(const std::int64_t* row, double cost) {
    std::size_t axis = 0;
    if (!rows.empty())
      while (row[axis] == rows.back()[axis]) ++axis;
    differs.push_back(axis);
    rows.push_back(row);
    costs.push_back(cost);
  }

  const Combinations& all;
  std::vector<const std::int64_t*> rows;
  /// Of each the first axis in which it differs from the one before.
  std::vector<std::size_t> differs;
  std::vector<double> costs;
};

/// For each point, in how many axes its value is between the least and the greatest of the points
/// with the same values in earlier axes. Those with one value of an axis follow each other: such a
/// row is neither the first nor the last of its group where earlier axes change at neither end.
std::vector<std::size_t> inner_coordinates(const PricedPoints& points) {
  struct Row {
    std::size_t start = 0;
    bool first = true;
  };
  std::vector<Row> of_axis(points.axes());
  std::vector<std::size_t> inner(points.size());
  for (std::size_t i = 1; i < points.size(); ++i) {
    const std::size_t axis = points.differs[i];
    if (const Row& ended = of_axis[axis]; !ended.first) {
      ++inner[ended.start]; // the difference to the point before, which wraps around
      --inner[i];
    }
    of_axis[axis] = {i, false};
    for (std::size_t later = axis + 1; later < of_axis.size(); ++later) of_axis[later] = {i, true};
  }
  std::partial_sum(inner.begin(), inner.end(), inner.begin());
  return inner;
}

/// Selects points, in the order of `take`, within the limits.
class Selection {
public:
  Selection(const PricedPoints& points, const GridLimits& limits)
      : points_(points), limits_(limits), taken_(points.size(), false), unseen_(points.axes()) {
    std::size_t changed = 0; // the first axis in which no value was noted since it changed
    for (std::size_t i = 0; i < points.size(); ++i) {
      changed = std::min(changed, points.differs[i]);
      if (!may_take(i)) continue;
      for (; changed < unseen_.size(); ++changed)
        if (const std::int64_t value = points[i][changed]; !is_unseen(changed, value))
          unseen_[changed].push_back(value);
    }
  }

  /// Whether the point alone is within the limits.
  bool may_take(std::size_t index) const {
    const double cost = points_.costs[index];
    return cost <= limits_.cost && cost <= limits_.cost * largest_share;
  }

  void take(std::size_t index) {
    if (taken_[index] || is_full()) return;
    const double cost = points_.costs[index];
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
      if (taken_[i]) chosen.emplace_back(points_[i], points_[i] + points_.axes());
    return chosen;
  }

private:
  bool is_unseen(std::size_t axis, std::int64_t value) const {
    return std::find(unseen_[axis].begin(), unseen_[axis].end(), value) != unseen_[axis].end();
  }

  const PricedPoints& points_;
  const GridLimits& limits_;
  std::vector<bool> taken_;
  std::vector<GridValues> unseen_; ///< by axis: values that no taken point has
  std::size_t count_ = 0;
  double spent_ = 0;
};

/// Indices in a fixed random order, which is made only as far as it is read: mostly a small part.
class RandomOrder {
public:
  void add(std::size_t index) { keyed_.push_back({random_bits(draw_seed, 0, index), index}); }
  std::size_t size() const { return keyed_.size(); }
  std::size_t operator[](std::size_t place) {
    while (place >= sorted_) sort_more();
    return keyed_[place].index;
  }

private:
  void sort_more() {
    const auto at = [&](std::size_t n) { return keyed_.begin() + static_cast<std::ptrdiff_t>(n); };
    const std::size_t end = std::min(keyed_.size(), std::max<std::size_t>(1024, 2 * sorted_));
    const auto less = [](const Keyed& a, const Keyed& b) {
      return a.key != b.key ? a.key < b.key : a.index < b.index;
    };
    std::nth_element(at(sorted_), at(end), keyed_.end(), less);
    std::sort(at(sorted_), at(end), less);
    sorted_ = end;
  }

  struct Keyed {
    std::uint64_t key = 0;
    std::size_t index = 0;
  };
  std::vector<Keyed> keyed_;
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
  PricedPoints points(all);
  GridValues values;
  for (std::size_t number = 0; number < all.size(); ++number) {
    values.assign(all[number].begin(), all[number].end());
    const auto own = !cost ? std::optional(0.0) : goes_on(watch) ? cost(values) : std::nullopt;
    if (own) points.add(all[number].data(), *own);
  }

  const std::vector<std::size_t> inner = inner_coordinates(points);
  Selection selection(points, limits);
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
