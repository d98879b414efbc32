#include "memlane/claim/trend.hpp"

#include "memlane/support/student.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <optional>

namespace memlane {
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
