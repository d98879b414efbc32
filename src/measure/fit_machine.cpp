#include "memlane/measure/fit_machine.hpp"

#include "fit_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace memlane::measure {
namespace {

/// The simulator behind a fit. Knobs that a point's machine does not have are not told apart: a UMM
/// is simulated once for all latencies of shared memory. Points that differ in what the simulator
/// does not see, such as fmad, are simulated once.
class SimulatedTimes {
public:
  SimulatedTimes(const MachineSpec& machine, const Simulator& simulator)
      : machine_(machine), simulator_(simulator) {}

  /// A machine without the memory that the kernel needs is an answer without a time.
  Prediction predict(const Measured& point, const Knobs& knobs, std::int64_t max_steps) {
    const Result<MachineSpec> spec = machine_of(point.machine, with_knobs(machine_, knobs));
    if (!spec) {
      Prediction none;
      none.why_not = spec.errors().front().message;
      return none;
    }
    const Knobs own = {spec->shared ? spec->shared->latency.value : 0,
                       spec->global ? spec->global->latency.value : 0, spec->memory_unit().ports};
    auto& known = known_[simulation_key(point)];
    const auto found = known.find(own);
    if (found != known.end()) return found->second;
    Prediction prediction = simulator_.predict(point, *spec, max_steps);
    if (!prediction.stop) known.emplace(own, prediction);
    return prediction;
  }

private:
  const MachineSpec& machine_;
  const Simulator& simulator_;
  std::map<std::string, std::map<Knobs, Prediction>> known_;
};

/// Leaves out what the model cannot speak of: other kernels, and points it cannot simulate.
/// False: the work is to end, and the points after it are left out.
bool choose_fit_points(const Measurements& measurements, const FitRequest& request,
                       SimulatedTimes& times, std::int64_t max_steps, MeasuredFit& fit) {
  const std::vector<std::string> names = curve_names(measurements.points);
  bool stopped = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Measured& point = measurements.points[i];
    std::string why;
    if (point.variant != Variant::emitted) {
      why = fmt::format("a {} kernel, not the program's own", name_of(point.variant));
    } else if (stopped) {
      why = "not simulated: stopped before";
    } else {
      if (request.progress) request.progress({"simulating the points", i, names.size()});
      const Prediction prediction = times.predict(point, knobs_of(request.values), max_steps);
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

/// Of points that were simulated before the work was ended: costs alone, latencies and ports as the
/// request has them. Without points if they are too few for that.
Fit fit_of_stopped(const std::vector<FitPoint>& points, FitRequest request, const TimeAt& time_at) {
  const std::array<bool, parameter_count> wanted = request.free;
  for (const ParameterInfo& info : parameters())
    if (info.whole) request.free[static_cast<std::size_t>(info.parameter)] = false;
  const Result<Fit> costs = fit(points, request, time_at);
  Fit stopped = costs ? *costs : Fit{};
  stopped.stopped = true;
  for (std::size_t i = 0; i < parameter_count; ++i)
    if (wanted[i] && !request.free[i]) stopped.estimates[i].standing = Standing::unfinished;
  return stopped;
}

std::string estimate_note(const Estimate& estimate) {
  const ParameterInfo& info = parameters()[static_cast<std::size_t>(estimate.parameter)];
  std::string text = fmt::format("{} {:.6g} {}", info.name, estimate.value, info.in);
  if (estimate.low) text += fmt::format(" (95 % {:.6g} to {:.6g})", *estimate.low, *estimate.high);
  if (estimate.standing != Standing::free) text += fmt::format(" ({})", name_of(estimate.standing));
  return text;
}

} // namespace

MachineSpec with_knobs(MachineSpec machine, const Knobs& knobs) {
  if (machine.shared) machine.shared->latency = Cycles{knobs.shared_latency};
  if (machine.global) machine.global->latency = Cycles{knobs.global_latency};
  (machine.global ? *machine.global : *machine.shared).ports = knobs.ports;
  machine.launch_cost = Cycles{0};
  return machine;
}

ParameterValues start_values(const MachineSpec& machine) {
  ParameterValues values = {1, 0, 1, 1, 1};
  if (machine.shared)
    at(values, Parameter::shared_latency) = static_cast<double>(machine.shared->latency.value);
  if (machine.global)
    at(values, Parameter::global_latency) = static_cast<double>(machine.global->latency.value);
  at(values, Parameter::ports) = static_cast<double>(machine.memory_unit().ports);
  for (const ParameterInfo& info : parameters()) {
    at(values, info.parameter) = std::clamp(at(values, info.parameter), info.lo, info.hi);
  }
  return values;
}

Result<MeasuredFit> fit_measured(const Measurements& measurements, const MachineSpec& machine,
                                 const FitRequest& request, const Simulator& simulator,
                                 std::int64_t max_steps) {
  MeasuredFit measured;
  SimulatedTimes times(machine, simulator);
  const bool all = choose_fit_points(measurements, request, times, max_steps, measured);
  std::vector<FitPoint> points;
  for (std::size_t i = 0; i < measured.points.size(); ++i)
    points.push_back(fit_point(measured.points[i], measured.curves[i]));
  const TimeAt time_at = [&](std::size_t i, const Knobs& knobs) -> std::optional<double> {
    // Instructions do not depend on latencies: what ran within the bound at first does so again.
    const Prediction prediction = times.predict(measured.points[i], knobs, INT64_MAX);
    if (!prediction.time) return std::nullopt;
    return static_cast<double>(*prediction.time);
  };
  if (!all) {
    measured.fit = fit_of_stopped(points, request, time_at);
    return measured;
  }
  Result<Fit> fitted = fit(points, request, time_at);
  if (!fitted) {
    Diagnostics errors = fitted.errors();
    for (const Unfitted& unused : measured.unused) {
      Diagnostic note = error_at(unused.measured.place, "not used: " + unused.why);
      note.severity = Severity::note;
      errors.front().notes.push_back(std::move(note));
    }
    return errors;
  }
  measured.fit = std::move(*fitted);
  return measured;
}

MachineSpec fitted_machine(const MachineSpec& machine, const MeasuredFit& fit,
                           const std::string& measurements) {
  const ParameterValues values = fit.fit.values();
  MachineSpec fitted = with_knobs(machine, knobs_of(values));
  const double launch = at(values, Parameter::launch) / at(values, Parameter::unit);
  // More units than machine files take would be a launch that dwarfs everything.
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
      fmt::format("\nRelative residuals have a root mean square of {:.2f} %.", 100 * fit.fit.rms);
  return fitted;
}

} // namespace memlane::measure
