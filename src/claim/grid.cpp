#include "memlane/claim/grid.hpp"

#include "memlane/lang/evaluate.hpp"
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
  std::vector<std::pair<std::uint64_t, std::size_t>> draw;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (selection.may_take(i)) draw.emplace_back(random_bits(draw_seed, 0, i), i);
  std::sort(draw.begin(), draw.end());
  for (const auto& [key, index] : draw)
    if (goes_on(watch) && selection.shows_more(index)) selection.take(index);
  for (std::size_t most_inner : {std::size_t{1}, all.axes()})
    for (const auto& [key, index] : draw)
      if (goes_on(watch) && !selection.is_full() && inner[index] <= most_inner)
        selection.take(index);

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

// --- default candidates of `verify`

namespace {

/// A parameter with a default of at least this is a size; others are counts, degrees, radii.
constexpr std::int64_t least_size = 16;
constexpr std::int64_t largest_size = 4096;
/// Maximum number of combinations of the program's own parameters.
constexpr std::size_t most_parameter_combinations = 400;

struct Parameter {
  std::string name;
  GridValues candidates;
  GridValues unusual;
  bool size = false;
};

/// No name has a value.
class NoNames : public lang::Environment {
public:
  explicit NoNames(const Limits& limits) : limits_(limits) {}
  lang::Evaluation param(lang::SymbolId) override { return none(); }
  lang::Evaluation letter(const lang::TExpr&) override { return none(); }
  bool knows_constant(lang::SymbolId) const override { return false; }
  const Limits& limits() const override { return limits_; }

private:
  const Limits& limits_;
  static lang::NoValue none() { return {error_in("", "a default that depends on others")}; }
};

/// The default, if it names no letters and no other parameters.
std::optional<std::int64_t> default_of(const lang::Checked& checked, const lang::ParamSymbol& param,
                                       const Limits& limits) {
  NoNames names(limits);
  lang::Evaluator evaluator(checked, names, {});
  const auto value = evaluator.value(param.value);
  if (!value || ir::is_real(param.type)) return std::nullopt;
  return value->word().integer();
}

/// One parameter has a value, nothing else has.
class OneParameter : public NoNames {
public:
  OneParameter(lang::SymbolId id, std::int64_t value, const Limits& limits)
      : NoNames(limits), id_(id), value_(value) {}
  lang::Evaluation param(lang::SymbolId id) override {
    if (id != id_) return NoNames::param(id);
    return lang::Evaluated{ir::Value::of(value_)};
  }

private:
  lang::SymbolId id_;
  std::int64_t value_;
};

/// Drops the values that break the parameter's condition whatever the others are.
GridValues allowed(const GridValues& values, const lang::Checked& checked,
                   const lang::ParamSymbol& param, const Limits& limits) {
  if (!param.where) return values;
  const auto id = static_cast<lang::SymbolId>(&param - checked.params.data());
  GridValues kept;
  for (const std::int64_t value : values) {
    OneParameter names(id, value, limits);
    lang::Evaluator evaluator(checked, names, {});
    const auto holds = evaluator.value(*param.where);
    if (!holds || holds->word().truth()) kept.push_back(value);
  }
  return kept;
}

/// Each value once, the most important first: the last ones are dropped if there are too many.
GridValues candidates_of(std::int64_t standard, bool size) {
  // Odd ones, where banks differ from those of powers of two, and such beside a multiple of w.
  GridValues values = size ? GridValues{16, 4096, 256, 64, 9, 1024, 32, 8, 65, 128, 24, 999}
                           : GridValues{1, 2, 4, 3, 0, 8};
  const bool known = std::find(values.begin(), values.end(), standard) != values.end();
  if (!known && standard <= largest_size) values.insert(values.begin() + 1, standard);
  return values;
}

/// Whether a used program declares the parameter, not the file with verify.
bool used(const lang::Program& program, const lang::ParamSymbol& param) {
  return std::any_of(program.hosts.begin(), program.hosts.end(), [&](const lang::HostDecl& host) {
    return host.verify && host.span.file != param.span.file;
  });
}

std::vector<Parameter> parameters_of(const lang::Checked& checked, const Limits& limits) {
  std::vector<Parameter> parameters;
  for (const lang::ParamSymbol& param : checked.params) {
    const bool is_bool = param.type == ir::Scalar::boolean;
    // This program chose a mode of the used program for its operators; the other one may be wrong.
    if (is_bool && used(checked.program, param)) continue;
    const auto standard = default_of(checked, param, limits);
    if (!standard) continue;
    const bool size = !is_bool && *standard >= least_size;
    const GridValues candidates = is_bool ? GridValues{0, 1} : candidates_of(*standard, size);
    GridValues kept = allowed(candidates, checked, param, limits);
    const bool none = kept.empty(); // of a modulus, no size may be prime
    if (none) kept = {*standard};
    const GridValues unusual =
        size && !none ? allowed({1, 2, 3, 4, 5, 7}, checked, param, limits) : GridValues{};
    parameters.push_back({param.name, std::move(kept), unusual, size});
  }
  const auto combinations = [&] {
    double product = 1;
    for (const Parameter& parameter : parameters)
      product *= static_cast<double>(parameter.candidates.size());
    return product;
  };
  while (combinations() > static_cast<double>(most_parameter_combinations)) {
    // Of equally long ones not a size: a bound is judged along sizes.
    const auto longest = std::max_element(
        parameters.begin(), parameters.end(), [](const Parameter& a, const Parameter& b) {
          return std::pair(a.candidates.size(), !a.size) < std::pair(b.candidates.size(), !b.size);
        });
    if (longest->candidates.size() < 2) break;
    longest->candidates.pop_back();
  }
  return parameters;
}

} // namespace

std::vector<GridAxis> default_axes(const lang::Checked& checked, const Limits& limits) {
  std::vector<GridAxis> axes{fixed_axis("w", {4, 8, 16, 32})};
  axes.back().unusual = {1, 6};
  std::vector<std::size_t> sizes; ///< places of the sizes among the axes
  for (const Parameter& parameter : parameters_of(checked, limits)) {
    if (parameter.size) sizes.push_back(axes.size());
    axes.push_back(fixed_axis(parameter.name, parameter.candidates));
    axes.back().size = parameter.size;
    axes.back().unusual = parameter.unusual;
  }
  axes.push_back(fixed_axis("l", {1, 2, 5, 20, 100, 10'000, 1'000'000, 100'000'000}));
  axes.push_back({"p", [sizes](const GridValues& before) {
                    const std::int64_t w = before[0];
                    std::int64_t n = 0;
                    for (const std::size_t place : sizes) n = std::max(n, before[place]);
                    GridValues candidates{w, 2 * w, 4 * w, 8 * w};
                    for (const std::int64_t p : {n / 2, n, 4 * n})
                      if (p > 0) candidates.push_back((p + w - 1) / w * w);
                    return candidates;
                  }});
  return axes;
}

} // namespace memlane
