#include "memlane/claim/grid.hpp"

#include "memlane/support/random.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace memlane {
namespace {

/// Combinations to consider: all, or some of them if they are more than this.
constexpr std::size_t most_enumerated = 1'000'000;
constexpr std::size_t drawn_of_more = 200'000;
constexpr std::uint64_t draw_seed = 1;
/// Maximum share of the cost limit for one point.
constexpr double largest_share = 0.1;

GridValues candidates_after(const std::vector<GridAxis>& axes, const GridValues& values) {
  GridValues candidates = axes[values.size()].candidates(values);
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

bool goes_on(Watch* watch) { return !watch || watch->go_on(); }

/// Adds the combinations that begin with `values`, in lexical order, as long as they are few.
void enumerate(const std::vector<GridAxis>& axes, GridValues& values, std::vector<GridValues>& out,
               Watch* watch) {
  if (values.size() == axes.size()) {
    out.push_back(values);
    return;
  }
  for (const std::int64_t candidate : candidates_after(axes, values)) {
    if (out.size() > most_enumerated || !goes_on(watch)) return;
    values.push_back(candidate);
    enumerate(axes, values, out, watch);
    values.pop_back();
  }
}

/// Random combinations, in lexical order.
std::vector<GridValues> draw_combinations(const std::vector<GridAxis>& axes, Watch* watch) {
  std::vector<GridValues> drawn(drawn_of_more);
  for (std::uint64_t k = 0; k < drawn.size(); ++k) {
    GridValues& values = drawn[k];
    while (values.size() < axes.size()) {
      const GridValues candidates = candidates_after(axes, values);
      if (candidates.empty() || !goes_on(watch)) return {};
      const std::uint64_t bits = random_bits(draw_seed, 1 + values.size(), k);
      values.push_back(candidates[bits % candidates.size()]);
    }
  }
  std::sort(drawn.begin(), drawn.end());
  drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
  return drawn;
}

/// All combinations, or, if there are too many, some of them.
std::vector<GridValues> combinations(const std::vector<GridAxis>& axes, Watch* watch) {
  std::vector<GridValues> all;
  GridValues values;
  enumerate(axes, values, all, watch);
  return all.size() <= most_enumerated ? all : draw_combinations(axes, watch);
}

/// For each point, in how many axes its value is between the least and the greatest of the points
/// with the same values in earlier axes. Requires lexical order.
std::vector<std::size_t> inner_coordinates(const std::vector<GridValues>& points) {
  std::vector<std::size_t> inner(points.size());
  const std::size_t axes = points.empty() ? 0 : points.front().size();
  for (std::size_t k = 0; k < axes; ++k) {
    const auto values_before = static_cast<std::ptrdiff_t>(k);
    for (std::size_t first = 0, end = 0; first < points.size(); first = end) {
      const GridValues& point = points[first];
      while (end < points.size() &&
             std::equal(point.begin(), point.begin() + values_before, points[end].begin()))
        ++end;
      const std::int64_t least = point[k], greatest = points[end - 1][k];
      for (std::size_t i = first; i < end; ++i)
        if (points[i][k] != least && points[i][k] != greatest) ++inner[i];
    }
  }
  return inner;
}

/// Selects points, in the order of `take`, within the limits.
class Selection {
public:
  Selection(const std::vector<GridValues>& points,
            const std::function<double(const GridValues&)>& cost, const GridLimits& limits)
      : points_(points), cost_(cost), limits_(limits), taken_(points.size(), false) {}

  void take(std::size_t index) {
    if (taken_[index] || count_ >= limits_.points) return;
    const double cost = cost_ ? cost_(points_[index]) : 0;
    if (!(spent_ + cost <= limits_.cost && cost <= limits_.cost * largest_share)) return;
    spent_ += cost;
    ++count_;
    taken_[index] = true;
    for (std::size_t k = 0; k < points_[index].size(); ++k) seen_.insert({k, points_[index][k]});
  }

  /// Whether the point has a value of some axis that no taken point has.
  bool shows_more(std::size_t index) const {
    for (std::size_t k = 0; k < points_[index].size(); ++k)
      if (seen_.count({k, points_[index][k]}) == 0) return true;
    return false;
  }

  std::vector<GridValues> result() const {
    std::vector<GridValues> chosen;
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (taken_[i]) chosen.push_back(points_[i]);
    return chosen;
  }

private:
  const std::vector<GridValues>& points_;
  const std::function<double(const GridValues&)>& cost_;
  const GridLimits& limits_;
  std::vector<bool> taken_;
  std::set<std::pair<std::size_t, std::int64_t>> seen_;
  std::size_t count_ = 0;
  double spent_ = 0;
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
  return {std::move(name), [values = std::move(candidates)](const GridValues&) { return values; }};
}

std::vector<GridValues> spread_grid(const std::vector<GridAxis>& axes,
                                    const std::function<bool(const GridValues&)>& accept,
                                    const std::function<double(const GridValues&)>& cost,
                                    const GridLimits& limits, Watch* watch) {
  std::vector<GridValues> points = combinations(axes, watch);
  if (accept)
    std::erase_if(points,
                  [&](const GridValues& point) { return !goes_on(watch) || !accept(point); });

  const std::vector<std::size_t> inner = inner_coordinates(points);
  std::vector<std::pair<std::uint64_t, std::size_t>> draw;
  for (std::size_t i = 0; i < points.size(); ++i)
    draw.emplace_back(random_bits(draw_seed, 0, i), i);
  std::sort(draw.begin(), draw.end());
  Selection selection(points, cost, limits);
  for (const auto& [key, index] : draw)
    if (goes_on(watch) && selection.shows_more(index)) selection.take(index);
  for (std::size_t most_inner : {std::size_t{1}, axes.size()})
    for (const auto& [key, index] : draw)
      if (goes_on(watch) && inner[index] <= most_inner) selection.take(index);

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
