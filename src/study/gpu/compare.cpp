#include "memlane/study/gpu/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace memlane::measure {
namespace {

std::vector<std::size_t> by_size(const std::vector<ComparedPoint>& points) {
  std::vector<std::size_t> order(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return points[a].size.value_or(0) < points[b].size.value_or(0);
  });
  return order;
}

void set_time(const Prediction& prediction, std::int64_t launch_cost, ComparedPoint& point) {
  point.time = prediction.time;
  if (!point.time) {
    point.why_not = "not simulated: " + prediction.why_not;
    return;
  }
  // Launches follow each other, so that their cost is a summand (configs/README.md section 3,
  // "Launches").
  point.units = static_cast<double>(*point.time - prediction.launches * launch_cost);
}

/// Simulates once for all points with the same simulation key.
void simulate_points(MeasuredComparison& comparison, const Simulator& simulator,
                     const ComparisonLimits& limits,
                     const std::map<std::string, Prediction>& known) {
  std::map<std::string, std::optional<Prediction>> predictions(known.begin(), known.end());
  for (const ComparedPoint& point : comparison.points) {
    if (point.measured.variant != Variant::cub) predictions[simulation_key(point.measured)];
  }
  std::int64_t steps_left = limits.all_steps;
  auto points_left = static_cast<std::int64_t>(predictions.size() - known.size());
  std::size_t done = 0;
  for (std::size_t i : by_size(comparison.points)) {
    if (limits.progress) limits.progress(done++, comparison.points.size());
    ComparedPoint& point = comparison.points[i];
    if (point.measured.variant == Variant::cub) {
      point.why_not = "CUB's own algorithm";
      continue;
    }
    std::optional<Prediction>& prediction = predictions[simulation_key(point.measured)];
    if (!prediction && comparison.stopped) {
      point.why_not = "not simulated: stopped before";
      continue;
    }
    if (!prediction) {
      const std::int64_t share = std::max<std::int64_t>(steps_left / points_left, 1);
      const Result<MachineSpec> spec = machine_of(point.measured.machine, comparison.machine);
      prediction =
          spec ? simulator.predict({{&point.measured, *spec, limits.max_steps.value_or(share)}}, {})
                     .front()
               : Prediction{{}, spec.errors().front().message};
      steps_left = std::max<std::int64_t>(steps_left - prediction->steps, 0);
      --points_left;
      comparison.stopped = prediction->stop;
    }
    set_time(*prediction, comparison.machine.launch_cost.value, point);
  }
}

/// Whether an emitted kernel has the other's program and parameters; it may have more parameters.
bool is_same_computation(const MeasuredPoint& other, const MeasuredPoint& emitted) {
  if (emitted.variant != Variant::emitted || emitted.program != other.program) return false;
  return std::all_of(other.parameters.begin(), other.parameters.end(), [&](const auto& parameter) {
    const auto& all = emitted.parameters;
    return std::find(all.begin(), all.end(), parameter) != all.end();
  });
}

void set_ratios_to_emitted(std::vector<ComparedPoint>& points) {
  for (ComparedPoint& point : points) {
    if (point.measured.variant == Variant::emitted) continue;
    for (const ComparedPoint& emitted : points) {
      if (!is_same_computation(point.measured, emitted.measured)) continue;
      const double ratio = point.measured.median_ns / emitted.measured.median_ns;
      point.ratio_to_emitted = std::max(point.ratio_to_emitted.value_or(ratio), ratio);
    }
  }
}

std::vector<Curve> curves_of(const MeasuredComparison& comparison, Variant variant) {
  std::vector<Curve> curves;
  for (const ComparedPoint& point : comparison.points) {
    if (point.measured.variant != variant || !point.predicted_ns) continue;
    if (curves.empty() || curves.back().name != point.curve ||
        curves.back().problem != point.problem)
      curves.push_back({point.curve, point.problem, {}});
    const auto& samples = point.measured.priced_samples_ns;
    const CurvePoint at{point.size.value_or(0), *point.predicted_ns, point.measured.priced_ns,
                        quartile(samples, 1), quartile(samples, 3)};
    // A point measured with several seeds has one place on the curve: that of the first.
    if (curves.back().points.empty() || curves.back().points.back().size < at.size)
      curves.back().points.push_back(at);
  }
  return curves;
}

/// The kernels of executables, each with a shape: one place, at the means over its launches.
std::vector<Curve> executable_curves(const MeasuredComparison& comparison) {
  std::map<std::pair<std::string, std::string>, std::pair<CurvePoint, double>> sums; // and launches
  for (const ComparedPoint& point : comparison.points) {
    if (!point.measured.launch || !point.predicted_ns) continue;
    auto& [sum, launches] = sums[{point.problem, point.curve}];
    const auto& samples = point.measured.priced_samples_ns;
    sum.model += *point.predicted_ns;
    sum.measured += point.measured.priced_ns;
    sum.measured_low += quartile(samples, 1);
    sum.measured_high += quartile(samples, 3);
    ++launches;
  }
  std::vector<Curve> curves;
  for (const auto& [names, sum] : sums) {
    const auto& [all, launches] = sum;
    curves.push_back({names.second,
                      names.first,
                      {{0, all.model / launches, all.measured / launches,
                        all.measured_low / launches, all.measured_high / launches}}});
  }
  return curves;
}

bool is_fitted(const ComparedPoint& point) {
  const bool is_own = point.measured.variant == Variant::emitted || point.measured.launch;
  return is_own && point.units && *point.units > 0;
}

std::optional<FittedCosts> fit_costs(const std::vector<ComparedPoint>& compared) {
  std::vector<FitPoint> points;
  std::vector<double> units;
  for (const ComparedPoint& point : compared) {
    if (!is_fitted(point)) continue;
    points.push_back(fit_point(point.measured));
    units.push_back(*point.units);
  }
  // Unit, and launch if the points can determine it. Latencies and ports are the machine's.
  PerParameter<bool> free = {true};
  free[Parameter::launch] =
      points.size() > 1 && std::any_of(points.begin(), points.end(),
                                       [](const FitPoint& point) { return point.launches > 0; });
  const SimulateTimings simulate = [&](const std::vector<MemoryTiming>&) {
    return std::vector<std::vector<double>>{units};
  };
  const Result<Fit> found = fit(points, free, {1, 0, 1, 1, 1}, simulate);
  if (!found) return std::nullopt; // no points
  return FittedCosts{found->estimates[Parameter::unit], found->estimates[Parameter::launch],
                     points.size(), found->rms};
}

/// Fits the nanoseconds of a time unit and of a launch to what is fitted and has units; sets
/// `costs` and each point's `predicted_ns`. Latencies and ports are the machine's.
void predict_nanoseconds(MeasuredComparison& comparison) {
  comparison.costs = fit_costs(comparison.points);
  if (!comparison.costs) return;
  for (ComparedPoint& point : comparison.points) {
    if (!point.units) continue;
    const double ns =
        comparison.costs->unit.value * *point.units +
        comparison.costs->launch.value * static_cast<double>(point.measured.priced_launches());
    if (ns > 0) point.predicted_ns = ns;
  }
}

} // namespace

std::optional<double> ComparedPoint::ns_per_unit() const {
  if (!time || *time <= 0) return std::nullopt;
  return measured.priced_ns / static_cast<double>(*time);
}

std::optional<double> ComparedPoint::error() const {
  if (!predicted_ns) return std::nullopt;
  return (*predicted_ns - measured.priced_ns) / measured.priced_ns;
}

std::optional<double> ComparedPoint::cycles_per_unit() const {
  if (!time || *time <= 0 || !cycles) return std::nullopt;
  return *cycles / static_cast<double>(*time);
}

MeasuredComparison compare_measured(Measurements measurements, const MachineSpec& machine,
                                    const Simulator& simulator, const ComparisonLimits& limits,
                                    const std::map<std::string, Prediction>& known) {
  MeasuredComparison comparison;
  comparison.path = std::move(measurements.path);
  comparison.machine = machine;
  comparison.skipped = std::move(measurements.skipped);
  const std::vector<std::string> names = curve_names(measurements.points);
  for (std::size_t i = 0; i < names.size(); ++i) {
    ComparedPoint point;
    point.measured = std::move(measurements.points[i]);
    point.curve = names[i];
    point.problem = problem_of(point.measured);
    point.size = size_of(point.measured);
    if (!point.measured.clock_cycles.empty()) point.cycles = median(point.measured.clock_cycles);
    comparison.points.push_back(std::move(point));
  }
  const auto rank = [](const ComparedPoint& point) {
    return std::tuple<const std::string&, double, Variant>(point.curve, point.size.value_or(0),
                                                           point.measured.variant);
  };
  std::stable_sort(
      comparison.points.begin(), comparison.points.end(),
      [&](const ComparedPoint& a, const ComparedPoint& b) { return rank(a) < rank(b); });
  set_ratios_to_emitted(comparison.points);
  simulate_points(comparison, simulator, limits, known);
  predict_nanoseconds(comparison);
  comparison.emitted = order_curves(curves_of(comparison, Variant::emitted));
  comparison.hand_written = order_curves(curves_of(comparison, Variant::hand_written));
  comparison.executables = order_curves(executable_curves(comparison));
  return comparison;
}

} // namespace memlane::measure
