// How ratios grow along a ray, the leading terms of a claim's formula on it, and trends over a
// grid.
#include "memlane/claim/growth.hpp"

#include "environment.hpp"

#include "memlane/support/student.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <map>

namespace memlane {
namespace {

// --- ratios

/// Doublings in a window: two even out the steps of ceilings.
constexpr std::size_t window = 2;
/// What a window must gain, of what the one before gained, to go on.
constexpr double steady = 0.9;
/// A window that gains less than this part of it has a ratio that settles.
constexpr double dying = 0.75;
/// A window that gains less than this part of the ratio has a ratio that stands still.
constexpr double nothing = 0.02;
/// The least factor over three windows.
constexpr double least_rise = 1.1;
/// How much the slope may rise from the first window to the third: before the knee of a ratio
/// a + b*x^e it doubles.
constexpr double bent = 1.15;
/// A rise over three windows that no constants of a sum's terms explain, whatever the slopes.
constexpr double steep_rise = 16;

// --- leading terms

using lang::TExpr;
using lang::TExprKind;

/// Formulas of claims may loop (claims::ClaimEnvironment); far out on a ray that takes too long.
constexpr std::int64_t most_far_steps = 10'000;
/// What an outgrown term loses between the two points, against the greatest of its sum.
constexpr double outgrown = 8;

bool is_sum(const TExpr& e) {
  return e.kind == TExprKind::operation && e.type.exact && e.op == ir::Opcode::add;
}

/// A formula at one point, term by term. NaN: a part has no value.
class Terms {
public:
  Terms(const lang::Checked& checked, const ClaimInputs& inputs, const DroppedTerms& dropped)
      : inputs_{inputs.program, inputs.machine, nullptr, inputs.limits},
        environment_(checked, inputs_),
        evaluator_(checked, environment_, {most_far_steps, true, true, true}), dropped_(dropped) {}

  /// A part is evaluated once: a call that loops may take most_far_steps.
  double value(const TExpr& e) {
    if (const auto known = known_.find(&e); known != known_.end()) return known->second;
    return known_[&e] = evaluated(e);
  }

  double term(const TExpr& e) { return dropped_.contains(&e) ? 0 : value(e); }

private:
  double evaluated(const TExpr& e) {
    const bool real = e.type.exact && !lang::is_exact_whole(e.type);
    if (is_sum(e)) return term(e.operands[0]) + term(e.operands[1]);
    if (real && e.kind == TExprKind::convert && e.operands[0].type.exact)
      return value(e.operands[0]);
    if (real && e.kind == TExprKind::operation && e.op == ir::Opcode::mul)
      return value(e.operands[0]) * value(e.operands[1]);
    if (real && e.kind == TExprKind::operation && e.op == ir::Opcode::div)
      return value(e.operands[0]) / value(e.operands[1]);
    const auto known = evaluator_.value(e);
    if (!known) return std::nan("");
    return e.type.exact ? known->number().to_double()
                        : static_cast<double>(known->word().integer());
  }

  ClaimInputs inputs_;
  claims::ClaimEnvironment environment_;
  lang::Evaluator evaluator_;
  const DroppedTerms& dropped_;
  std::map<const TExpr*, double> known_;
};

/// The terms of a sum: operands of nested additions.
void collect_terms(const TExpr& e, std::vector<const TExpr*>& terms) {
  if (!is_sum(e)) {
    terms.push_back(&e);
    return;
  }
  for (const TExpr& operand : e.operands) collect_terms(operand, terms);
}

/// Adds the outgrown terms of the sums in e: a factor's sum is judged for itself.
void drop_outgrown(const TExpr& e, Terms& near, Terms& far, DroppedTerms& dropped) {
  std::vector<const TExpr*> terms;
  collect_terms(e, terms);
  std::map<const TExpr*, double> at_near, at_far;
  double most_near = 0, most_far = 0;
  for (const TExpr* term : terms) {
    most_near = std::max(most_near, at_near[term] = near.value(*term));
    most_far = std::max(most_far, at_far[term] = far.value(*term));
  }
  for (const TExpr* term : terms) {
    const bool positive = at_near[term] > 0 && at_far[term] >= 0;
    if (positive && at_far[term] / most_far * outgrown < at_near[term] / most_near)
      dropped.insert(term);
    else if (term->kind == TExprKind::operation || term->kind == TExprKind::convert)
      for (const TExpr& operand : term->operands) drop_outgrown(operand, near, far, dropped);
  }
}

} // namespace

Growth growth_of(std::span<const double> ratios) {
  const auto from_end = [&](std::size_t k) { return ratios[ratios.size() - 1 - k * window]; };
  const auto gain = [&](std::size_t k) { return from_end(k) - from_end(k + 1); };
  if (ratios.size() <= window) return Growth::unclear;
  if (gain(0) <= nothing * from_end(0)) return Growth::settles;
  if (ratios.size() <= 2 * window) return Growth::unclear;
  if (gain(1) > 0 && gain(0) < dying * gain(1)) return Growth::settles;
  if (ratios.size() <= 3 * window) return Growth::unclear;
  const double rise = from_end(0) / from_end(3);
  const bool goes_on = gain(2) > 0 && gain(1) >= steady * gain(2) && gain(0) >= steady * gain(1);
  const double last = from_end(0) / from_end(1), first = from_end(2) / from_end(3);
  const bool straight = last - 1 <= bent * (first - 1);
  return goes_on && rise >= least_rise && (straight || rise >= steep_rise) ? Growth::grows
                                                                           : Growth::unclear;
}

bool grows_to_the_end(std::span<const double> ratios) {
  if (ratios.size() <= 2 * window) return false;
  const std::size_t last = ratios.size() - 1;
  const double least = std::sqrt(1 << window);
  return ratios[last] >= least * ratios[last - window] &&
         ratios[last - window] >= least * ratios[last - 2 * window];
}

DroppedTerms outgrown_terms(const lang::Checked& checked, std::size_t claim,
                            const ClaimInputs& near, const ClaimInputs& far) {
  const DroppedTerms none;
  DroppedTerms dropped;
  Terms at_near(checked, near, none), at_far(checked, far, none);
  drop_outgrown(checked.claims[claim].right, at_near, at_far, dropped);
  return dropped;
}

std::optional<double> value_without(const lang::Checked& checked, std::size_t claim,
                                    const ClaimInputs& inputs, const DroppedTerms& dropped) {
  const double value = Terms(checked, inputs, dropped).value(checked.claims[claim].right);
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

// --- trends over a grid

namespace {

/// A point in logarithms: of one parameter, of the ratio.
struct LogPoint {
  double x = 0;
  double y = 0;
};
using LogPoints = std::vector<LogPoint>;

struct Line {
  double slope = 0;
  double error = 0; ///< standard error of the slope
  std::ptrdiff_t freedom = 0;
};

/// Least squares; requires two different x.
Line fit(LogPoints::const_iterator begin, LogPoints::const_iterator end) {
  const auto count = static_cast<double>(end - begin);
  LogPoint mean;
  for (auto it = begin; it != end; ++it) {
    mean.x += it->x / count;
    mean.y += it->y / count;
  }
  double xx = 0;
  double xy = 0;
  for (auto it = begin; it != end; ++it) {
    xx += (it->x - mean.x) * (it->x - mean.x);
    xy += (it->x - mean.x) * (it->y - mean.y);
  }
  Line line;
  line.slope = xy / xx;
  line.freedom = end - begin - 2;
  if (line.freedom < 1) return line;
  double residuals = 0;
  for (auto it = begin; it != end; ++it) {
    const double residual = it->y - mean.y - line.slope * (it->x - mean.x);
    residuals += residual * residual;
  }
  line.error = std::sqrt(residuals / static_cast<double>(line.freedom) / xx);
  return line;
}

/// Points by groups of x, each less than a factor of two wide. Requires them sorted by x.
std::vector<LogPoints> groups_of(const LogPoints& sorted) {
  // A little less than the factor of two, so that rounding of logarithms does not split groups.
  const double factor = std::log(2) - 1e-9;
  std::vector<LogPoints> groups;
  for (const LogPoint& point : sorted) {
    if (groups.empty() || point.x - groups.back().front().x > factor) groups.emplace_back();
    groups.back().push_back(point);
  }
  return groups;
}

/// The greatest (least) ratio of each group, at its x.
LogPoints extremes_of(LogPoints points, bool greatest) {
  std::sort(points.begin(), points.end(), [](const LogPoint& a, const LogPoint& b) {
    return a.x != b.x ? a.x < b.x : a.y < b.y;
  });
  LogPoints extremes;
  for (const LogPoints& group : groups_of(points))
    extremes.push_back(
        *std::max_element(group.begin(), group.end(), [&](const LogPoint& a, const LogPoint& b) {
          return greatest ? a.y < b.y : a.y > b.y;
        }));
  return extremes;
}

/// The upper half: its slope, its length in log x.
struct Tail {
  double slope = 0;
  double length = 0;
};

Tail tail_of(const LogPoints& extremes) {
  const auto middle = extremes.begin() + static_cast<std::ptrdiff_t>((extremes.size() - 1) / 2);
  return {fit(middle, extremes.end()).slope, extremes.back().x - middle->x};
}

/// Requires least_groups extremes.
Envelope envelope_of(const LogPoints& extremes) {
  const Line whole = fit(extremes.begin(), extremes.end());
  const double reach = whole.error * student_quantile(trend_confidence, whole.freedom);
  const Tail tail = tail_of(extremes);
  return {whole.slope, whole.slope - reach, whole.slope + reach, tail.slope, tail.length};
}

using PointRefs = std::vector<const TrendPoint*>;

LogPoints logs_of(const PointRefs& points, std::size_t k) {
  LogPoints logs;
  for (const TrendPoint* point : points)
    logs.push_back({std::log(static_cast<double>(point->parameters[k])), std::log(point->ratio)});
  return logs;
}

/// The points that differ from the one of greatest (least) ratio in parameter k alone.
LogPoints line_through_extreme(const PointRefs& points, std::size_t k, bool greatest) {
  const TrendPoint& extreme = **std::max_element(
      points.begin(), points.end(), [&](const TrendPoint* a, const TrendPoint* b) {
        return greatest ? a->ratio < b->ratio : a->ratio > b->ratio;
      });
  PointRefs line;
  for (const TrendPoint* point : points) {
    bool same = true;
    for (std::size_t j = 0; j < point->parameters.size(); ++j)
      same = same && (j == k || point->parameters[j] == extreme.parameters[j]);
    if (same) line.push_back(point);
  }
  return logs_of(line, k);
}

/// The envelope along parameter k in one setting; none with too few groups.
std::optional<Envelope> envelope_along(const PointRefs& points, std::size_t k, bool greatest) {
  const LogPoints extremes = extremes_of(logs_of(points, k), greatest);
  if (extremes.size() < least_groups) return std::nullopt;
  Envelope envelope = envelope_of(extremes);
  const LogPoints line = extremes_of(line_through_extreme(points, k, greatest), greatest);
  envelope.line = line.size() >= least_line;
  if (!envelope.line) return envelope;
  envelope.line_slope = fit(line.begin(), line.end()).slope;
  const Tail tail = tail_of(line);
  envelope.line_tail = tail.slope;
  envelope.line_tail_length = tail.length;
  return envelope;
}

bool rises(double slope, const Tail& tail) {
  return slope > whole_tolerance && tail.slope > tail_tolerance &&
         tail.slope * tail.length > std::log(tail_change);
}

/// Whether the ratios seem to rise.
bool rising(const Envelope& e) {
  if (!rises(e.slope, {e.tail, e.tail_length})) return false;
  const bool scattered = e.lower <= whole_tolerance;
  return !scattered || !e.line || rises(e.line_slope, {e.line_tail, e.line_tail_length});
}

/// The envelope of the inverse ratios.
Envelope turned(const Envelope& e) {
  Envelope down = e;
  down.slope = -e.slope;
  down.lower = -e.upper;
  down.upper = -e.lower;
  down.tail = -e.tail;
  down.line_slope = -e.line_slope;
  down.line_tail = -e.line_tail;
  return down;
}

/// Whether `a` rises where `b` does not, or else more steeply.
bool worse(const Envelope& a, const Envelope& b) {
  return rising(a) != rising(b) ? rising(a) > rising(b) : a.slope > b.slope;
}

/// Adds the points of one setting.
void add_setting(ParameterTrend& trend, const PointRefs& points, std::size_t k) {
  const std::size_t groups = extremes_of(logs_of(points, k), true).size();
  trend.groups = std::max(trend.groups, static_cast<std::int64_t>(groups));
  const auto greatest = envelope_along(points, k, true);
  const auto least = envelope_along(points, k, false);
  if (!greatest || !least) return;
  if (!trend.judged || worse(*greatest, trend.greatest)) trend.greatest = *greatest;
  if (!trend.judged || worse(turned(*least), turned(trend.least))) trend.least = *least;
  trend.judged = true;
}

bool usable(const TrendPoint& point) { return point.ratio > 0 && std::isfinite(point.ratio); }

} // namespace

bool ParameterTrend::seems_to_grow() const { return judged && rising(greatest); }
bool ParameterTrend::seems_to_vanish() const { return judged && rising(turned(least)); }

Trend find_trend(const std::vector<std::string>& names, const std::vector<TrendPoint>& points) {
  Trend trend;
  std::vector<const TrendPoint*> used;
  for (const TrendPoint& point : points) {
    assert(point.parameters.size() == names.size());
    const bool first = &point == &points.front();
    if (first || point.ratio < trend.least) {
      trend.least = point.ratio;
      trend.least_at = point.parameters;
      trend.least_setting = point.setting;
    }
    if (first || point.ratio > trend.greatest) {
      trend.greatest = point.ratio;
      trend.greatest_at = point.parameters;
      trend.greatest_setting = point.setting;
    }
    if (usable(point)) used.push_back(&point);
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::map<std::int64_t, PointRefs> settings;
    for (const TrendPoint* point : used) // only this parameter's logarithm is needed
      if (point->parameters[k] > 0) settings[point->setting].push_back(point);
    ParameterTrend& parameter = trend.parameters.emplace_back();
    parameter.name = names[k];
    for (const auto& [setting, of_setting] : settings) add_setting(parameter, of_setting, k);
    trend.judged = trend.judged || trend.parameters.back().judged;
  }
  if (!trend.judged) trend.reason = "no parameter takes four values: a trend needs that";
  if (used.size() < least_points) {
    trend.judged = false;
    trend.reason = std::to_string(used.size()) + " points with a ratio above 0: a trend needs " +
                   std::to_string(least_points);
  }
  return trend;
}

} // namespace memlane
