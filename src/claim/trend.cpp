#include "memlane/claim/trend.hpp"

#include "least_squares.hpp"
#include "student.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <set>

namespace memlane {
namespace {

using claims::Coefficient;
using claims::Fit;
using Points = std::vector<const TrendPoint*>;

/// With fewer points than fitted slopes and this, a fit says nothing about its own error.
constexpr std::ptrdiff_t least_freedom = 3;
/// A slope known no better than this is not known.
constexpr double widest_bound = 0.5;

Fit fit_logs(const Points& points, std::size_t parameters) {
  std::vector<std::vector<double>> columns(parameters);
  std::vector<double> y;
  for (const TrendPoint* point : points) {
    for (std::size_t k = 0; k < parameters; ++k)
      columns[k].push_back(std::log(point->parameters[k]));
    y.push_back(std::log(point->ratio));
  }
  return claims::least_squares(columns, y);
}

Slope slope_of(const Fit& fit, std::size_t k) {
  const Coefficient& c = fit.coefficients[k];
  const double reach = c.error * claims::student_quantile(trend_confidence, fit.freedom);
  return {c.slope, c.slope - reach, c.slope + reach};
}

bool usable(const Fit& fit, std::size_t k) {
  return fit.coefficients[k].fitted && fit.freedom >= least_freedom;
}

Direction direction_of(const Slope& whole, const Slope& tail) {
  if (tail.lower > tail_tolerance && whole.lower > whole_tolerance) return Direction::grows;
  if (tail.upper < -tail_tolerance && whole.upper < -whole_tolerance) return Direction::vanishes;
  return Direction::bounded;
}

/// Judges parameter k; false if it should have been judged and could not.
bool judge(ParameterTrend& trend, std::size_t k, const Points& points, const Fit& whole,
           const std::vector<std::string>& names) {
  std::set<double> values;
  for (const TrendPoint* point : points) values.insert(point->parameters[k]);
  if (values.size() < 3) {
    trend.reason = values.size() < 2 ? "the same in all runs" : "two values only";
    return true;
  }
  const Coefficient& coefficient = whole.coefficients[k];
  if (!coefficient.fitted) {
    trend.reason = "moves with " + names[coefficient.follows - 1] + ", judged there";
    return true;
  }
  if (whole.freedom < least_freedom) {
    trend.reason = "not enough points";
    return false;
  }
  const double middle = *std::next(values.begin(), static_cast<std::ptrdiff_t>(values.size() / 2));
  Points upper;
  std::copy_if(points.begin(), points.end(), std::back_inserter(upper),
               [&](const TrendPoint* point) { return point->parameters[k] >= middle; });
  const Fit tail = fit_logs(upper, names.size());
  trend.whole = slope_of(whole, k);
  trend.tail = usable(tail, k) ? slope_of(tail, k) : trend.whole;
  if (trend.whole.upper - trend.whole.value > widest_bound ||
      trend.tail.upper - trend.tail.value > widest_bound) {
    trend.reason = "not enough points";
    return false;
  }
  trend.judged = true;
  trend.direction = direction_of(trend.whole, trend.tail);
  return true;
}

} // namespace

bool Trend::any(Direction direction) const {
  return std::any_of(parameters.begin(), parameters.end(), [&](const ParameterTrend& parameter) {
    return parameter.judged && parameter.direction == direction;
  });
}

Trend find_trend(const std::vector<std::string>& names, const std::vector<TrendPoint>& points) {
  Trend trend;
  Points positive;
  for (std::size_t i = 0; i < points.size(); ++i) {
    assert(points[i].parameters.size() == names.size());
    trend.least = i == 0 ? points[i].ratio : std::min(trend.least, points[i].ratio);
    trend.greatest = i == 0 ? points[i].ratio : std::max(trend.greatest, points[i].ratio);
    const auto& values = points[i].parameters;
    const bool logs = std::all_of(values.begin(), values.end(), [](double v) { return v > 0; });
    if (logs && points[i].ratio > 0 && std::isfinite(points[i].ratio))
      positive.push_back(&points[i]);
  }
  for (const std::string& name : names) trend.parameters.emplace_back().name = name;
  if (positive.size() < static_cast<std::size_t>(least_freedom) + 2) {
    trend.reason = "not enough points to judge";
    return trend;
  }
  const Fit whole = fit_logs(positive, names.size());
  bool some = false;
  for (std::size_t k = 0; k < names.size(); ++k) {
    ParameterTrend& parameter = trend.parameters[k];
    if (!judge(parameter, k, positive, whole, names) && trend.reason.empty())
      trend.reason = "not enough points to judge the trend with " + names[k];
    some = some || parameter.judged;
  }
  if (!some && trend.reason.empty())
    trend.reason = "not enough points to judge: no parameter takes three values";
  trend.judged = trend.reason.empty();
  return trend;
}

} // namespace memlane
