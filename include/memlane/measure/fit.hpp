// The parameters of a machine, and what a time unit of it takes, from measured times.
#pragma once

#include "memlane/support/result.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::measure {

/// What can be fitted. A point's time is  unit * simulated time(l, L, ports) + launch * launches.
enum class Parameter : std::uint8_t { unit, launch, shared_latency, global_latency, ports };
inline constexpr std::size_t parameter_count = 5;

struct ParameterInfo {
  Parameter parameter;
  std::string_view name; ///< as --fix and --free take it
  std::string_view in;   ///< ns, time units, …
  double lo, hi;         ///< bounds
  bool whole;            ///< enters through the simulator, which takes integers
  std::string_view meaning;
};
/// All of them, in the order of the enum.
const std::array<ParameterInfo, parameter_count>& parameters();

/// A value for each parameter.
using ParameterValues = std::array<double, parameter_count>;
inline double& at(ParameterValues& values, Parameter p) {
  return values[static_cast<std::size_t>(p)];
}
inline double at(const ParameterValues& values, Parameter p) {
  return values[static_cast<std::size_t>(p)];
}

/// The integers that the simulator takes.
struct Knobs {
  std::int64_t shared_latency = 1, global_latency = 1, ports = 1;
  auto operator<=>(const Knobs&) const = default;
};

struct FitPoint {
  std::string group; ///< the program: what is left out together
  std::string label; ///< for people
  double ns = 0;     ///< measured; requires a time that measurements can have
  double launches = 1;
  double spread = 0; ///< standard deviation of its samples as a share of `ns`; 0 if not known
};

/// Time units of a point, launch cost not included; none where the work is to end. Asked at most
/// once for the same point and knobs.
using TimeAt = std::function<std::optional<double>(std::size_t point, const Knobs&)>;

/// How far the work is: of a stage, `done` of about `total` parts.
struct FitProgress {
  std::string_view stage;
  std::size_t done = 0, total = 0;
};

struct FitRequest {
  std::array<bool, parameter_count> free = {true, true, true, true, true};
  ParameterValues values = {1, 0, 1, 1, 1}; ///< where to begin; the values of those not free
  int max_evaluations = 40;                 ///< of the loss, in one search
  std::function<void(const FitProgress&)> progress = {}; ///< called often; empty: not wanted
};

enum class Standing {
  free,         ///< an estimate with an interval
  fixed,        ///< as the request has it
  idle,         ///< free, but no point depends on it: as the request has it
  unfinished,   ///< the work was stopped before: the best value so far, or the request's own
  undetermined, ///< the points do not tell it from the others: the value is one of many
  at_least,     ///< the best value within the bounds is the least
  at_most,      ///< … the greatest
};
/// `free`, `fixed`, `no point depends on it`, …
std::string_view name_of(Standing standing);

struct Estimate {
  Parameter parameter = Parameter::unit;
  double value = 0;
  std::optional<double> low, high; ///< 95 % confidence, within the bounds
  Standing standing = Standing::free;
};

struct FittedPoint {
  double units = 0;    ///< simulated time at the fitted values
  double ns = 0;       ///< what the fitted machine says
  double relative = 0; ///< (fitted - measured) / measured
  double weight = 1;   ///< with which it counted: less for a wide spread or a large residual
};

/// How well a program is foretold by the others.
struct LeftOutGroup {
  std::string group;
  std::size_t points = 0;
  std::optional<double> error; ///< root mean square of the relative errors; none: too few others
};

struct Fit {
  std::array<Estimate, parameter_count> estimates;
  std::vector<FittedPoint> points;
  double rms = 0;                  ///< of the relative residuals
  std::optional<double> r_squared; ///< none where all measured times are the same
  std::vector<LeftOutGroup> left_out;
  std::int64_t freedom = 0; ///< points less estimated parameters
  /// The work was ended before its end: parameters may be `unfinished`, and groups that were not
  /// left out yet are missing. Without points: nothing was fitted.
  bool stopped = false;

  ParameterValues values() const;
};

/// The least loss of the relative residuals within the bounds: Huber's [Huber 1964], which grows as
/// the square of a small residual and in proportion to a large one, with the points weighted by
/// their spreads (fit_problem.hpp). An error if there are fewer points than free parameters.
/// Deterministic. Where `time_at` ends the work, the best values so far.
Result<Fit> fit(const std::vector<FitPoint>& points, const FitRequest& request,
                const TimeAt& time_at);

} // namespace memlane::measure
