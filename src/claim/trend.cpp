#include "memlane/claim/trend.hpp"

#include "student.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

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
  // A little less than the factor, so that rounding of logarithms does not split or join.
  const double factor = std::log(2) - 1e-9;
  std::vector<LogPoints> groups;
  for (const LogPoint& point : sorted) {
    if (groups.empty() || point.x - groups.back().front().x > factor) groups.emplace_back();
    groups.back().push_back(point);
  }
  return groups;
}

Envelope envelope_of(const std::vector<LogPoints>& groups, bool greatest) {
  LogPoints extremes;
  for (const LogPoints& group : groups)
    extremes.push_back(
        *std::max_element(group.begin(), group.end(), [&](const LogPoint& a, const LogPoint& b) {
          return greatest ? a.y < b.y : a.y > b.y;
        }));
  const Line whole = fit(extremes.begin(), extremes.end());
  const double reach = whole.error * claims::student_quantile(trend_confidence, whole.freedom);
  const auto middle = static_cast<std::ptrdiff_t>((extremes.size() - 1) / 2);
  const Line tail = fit(extremes.begin() + middle, extremes.end());
  return {whole.slope, whole.slope - reach, whole.slope + reach, tail.slope};
}

ParameterTrend trend_of(const std::string& name, LogPoints points) {
  std::sort(points.begin(), points.end(), [](const LogPoint& a, const LogPoint& b) {
    return a.x != b.x ? a.x < b.x : a.y < b.y;
  });
  const std::vector<LogPoints> groups = groups_of(points);
  ParameterTrend trend;
  trend.name = name;
  trend.groups = static_cast<std::int64_t>(groups.size());
  trend.judged = groups.size() >= least_groups;
  if (!trend.judged) return trend;
  trend.greatest = envelope_of(groups, true);
  trend.least = envelope_of(groups, false);
  return trend;
}

bool usable(const TrendPoint& point) {
  return point.ratio > 0 && std::isfinite(point.ratio) &&
         std::all_of(point.parameters.begin(), point.parameters.end(),
                     [](double value) { return value > 0; });
}

} // namespace

bool ParameterTrend::grows() const {
  return judged && greatest.lower > whole_tolerance && greatest.tail > tail_tolerance;
}

bool ParameterTrend::vanishes() const {
  return judged && least.upper < -whole_tolerance && least.tail < -tail_tolerance;
}

Trend find_trend(const std::vector<std::string>& names, const std::vector<TrendPoint>& points) {
  Trend trend;
  std::vector<const TrendPoint*> used;
  for (const TrendPoint& point : points) {
    assert(point.parameters.size() == names.size());
    const bool first = &point == &points.front();
    trend.least = first ? point.ratio : std::min(trend.least, point.ratio);
    trend.greatest = first ? point.ratio : std::max(trend.greatest, point.ratio);
    if (usable(point)) used.push_back(&point);
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    LogPoints logs;
    for (const TrendPoint* point : used)
      logs.push_back({std::log(point->parameters[k]), std::log(point->ratio)});
    trend.parameters.push_back(trend_of(names[k], std::move(logs)));
    trend.judged = trend.judged || trend.parameters.back().judged;
  }
  if (!trend.judged) trend.reason = "not enough points: no parameter takes four values";
  if (used.size() < least_points) {
    trend.judged = false;
    trend.reason = "not enough points: " + std::to_string(used.size());
  }
  return trend;
}

} // namespace memlane
