#include "memlane/measure/fit_machine.hpp"

#include "interpolated_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace memlane::measure {
namespace {

/// Simulates each program and machine once. A UMM has one prediction for all latencies of shared
/// memory, and points that differ only in what the simulator ignores, such as fmad, have one as
/// well.
class PredictionCache {
public:
  PredictionCache(const MachineSpec& machine, const Simulator& simulator)
      : machine_(machine), simulator_(simulator) {}

  Prediction predict(const MeasuredPoint& point, const MemoryTiming& timing,
                     std::int64_t max_steps) {
    const Result<MachineSpec> spec = machine_of(point.machine, with_timing(machine_, timing));
    if (!spec) return {{}, spec.errors().front().message};
    const MemoryTiming own = {spec->shared ? spec->shared->latency.value : 0,
                              spec->global ? spec->global->latency.value : 0,
                              spec->memory_unit().ports};
    auto& predictions = predictions_[simulation_key(point)];
    const auto found = predictions.find(own);
    if (found != predictions.end()) return found->second;
    Prediction prediction = simulator_.predict(point, *spec, max_steps);
    if (!prediction.stop) predictions.emplace(own, prediction);
    return prediction;
  }

private:
  const MachineSpec& machine_;
  const Simulator& simulator_;
  std::map<std::string, std::map<MemoryTiming, Prediction>> predictions_;
};

/// Splits the points into those of emitted kernels that can be simulated, and unused ones. False:
/// the simulator stopped, and the later points are unused.
bool choose_fit_points(const Measurements& measurements, const FitRequest& request,
                       PredictionCache& times, std::int64_t max_steps, MeasuredFit& fit) {
  const std::vector<std::string> names = curve_names(measurements.points);
  bool stopped = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const MeasuredPoint& point = measurements.points[i];
    std::string why;
    if (point.variant != Variant::emitted) {
      why = fmt::format("a {} kernel, not the program's own", name_of(point.variant));
    } else if (stopped) {
      why = "not simulated: stopped before";
    } else {
      if (request.progress) request.progress({"simulating the points", i, names.size()});
      const Prediction prediction = times.predict(point, timing_of(request.values), max_steps);
      stopped = prediction.stop;
      if (stopped) {
        why = "not simulated: stopped before";
      } else if (!prediction.time) {
        why = "not simulated: " + prediction.why_not;
      }
    }
    if (why.empty()) {
      fit.points.push_back(point);
      fit.curves.push_back(names[i]);
    } else {
      fit.unused.push_back({point, names[i], std::move(why)});
    }
  }
  return !stopped;
}

/// After the simulator stopped: fits only the costs to the points simulated before, with the
/// request's latencies and ports. Without points if there are too few.
Fit fit_of_stopped(const std::vector<FitPoint>& points, FitRequest request,
                   const SimulatePoint& simulate) {
  const PerParameter<bool> wanted = request.free;
  for (const ParameterInfo& info : parameters())
    if (info.is_integer) request.free[info.parameter] = false;
  const Result<Fit> costs = fit(points, request, simulate);
  Fit stopped = costs ? *costs : Fit{};
  stopped.stopped = true;
  for (Estimate& estimate : stopped.estimates)
    if (wanted[estimate.parameter] && !request.free[estimate.parameter])
      estimate.status = EstimateStatus::unfinished;
  return stopped;
}

std::string estimate_note(const Estimate& estimate) {
  const ParameterInfo& info = info_of(estimate.parameter);
  std::string text = fmt::format("{} {:.6g} {}", info.name, estimate.value, info.unit);
  if (estimate.low) text += fmt::format(" (95 % {:.6g} to {:.6g})", *estimate.low, *estimate.high);
  if (estimate.status != EstimateStatus::free)
    text += fmt::format(" ({})", name_of(estimate.status));
  return text;
}

} // namespace

MachineSpec with_timing(MachineSpec machine, const MemoryTiming& timing) {
  if (machine.shared) machine.shared->latency = Cycles{timing.shared_latency};
  if (machine.global) machine.global->latency = Cycles{timing.global_latency};
  (machine.global ? *machine.global : *machine.shared).ports = timing.ports;
  machine.launch_cost = Cycles{0};
  return machine;
}

ParameterValues start_values(const MachineSpec& machine) {
  ParameterValues values = {1, 0, 1, 1, 1};
  if (machine.shared)
    values[Parameter::shared_latency] = static_cast<double>(machine.shared->latency.value);
  if (machine.global)
    values[Parameter::global_latency] = static_cast<double>(machine.global->latency.value);
  values[Parameter::ports] = static_cast<double>(machine.memory_unit().ports);
  for (const ParameterInfo& info : parameters()) {
    values[info.parameter] = std::clamp(values[info.parameter], info.lower, info.upper);
  }
  return values;
}

Result<MeasuredFit> fit_measured(const Measurements& measurements, const MachineSpec& machine,
                                 const FitRequest& request, const Simulator& simulator,
                                 std::int64_t max_steps) {
  MeasuredFit measured;
  PredictionCache times(machine, simulator);
  const bool all = choose_fit_points(measurements, request, times, max_steps, measured);
  std::vector<FitPoint> points;
  for (const MeasuredPoint& point : measured.points) points.push_back(fit_point(point));
  const SimulatePoint simulate = [&](std::size_t i,
                                     const MemoryTiming& timing) -> std::optional<double> {
    // The first simulation kept max_steps, and instructions do not depend on latencies.
    const Prediction prediction = times.predict(measured.points[i], timing, INT64_MAX);
    if (!prediction.time) return std::nullopt;
    return static_cast<double>(*prediction.time);
  };
  if (!all) {
    measured.fit = fit_of_stopped(points, request, simulate);
    return measured;
  }
  Result<Fit> fitted = fit(points, request, simulate);
  if (!fitted) {
    Diagnostics errors = fitted.errors();
    for (const UnusedPoint& unused : measured.unused) {
      errors.front().notes.push_back(note_at(unused.measured.place, "not used: " + unused.why));
    }
    return errors;
  }
  measured.fit = std::move(*fitted);
  return measured;
}

MachineSpec fitted_machine(const MachineSpec& machine, const MeasuredFit& fit,
                           const std::string& measurements) {
  const ParameterValues values = fit.fit.values();
  MachineSpec fitted = with_timing(machine, timing_of(values));
  const double launch = values[Parameter::launch] / values[Parameter::unit];
  // Machine files allow at most 1e6 units.
  fitted.launch_cost = Cycles{std::llround(std::min(launch, 1e6))};
  fitted.name = fmt::format("{}, fitted", machine.name);
  const std::string device =
      fit.points.empty() ? std::string("nothing") : fit.points.front().device.name;
  fitted.notes = fmt::format("Fitted by memlane gpu fit to {} points of {} in {}, from machine {}.",
                             fit.points.size(), device, measurements, machine.name);
  for (const Estimate& estimate : fit.fit.estimates) {
    fitted.notes += fmt::format("\n{}.", estimate_note(estimate));
  }
  if (fit.fit.stopped) fitted.notes += "\nStopped before the end of the fit: the best so far.";
  fitted.notes +=
      fmt::format("\nRoot mean square of the relative residuals: {:.2f} %.", 100 * fit.fit.rms);
  return fitted;
}

} // namespace memlane::measure
