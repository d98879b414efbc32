#include "memlane/gpu/fit_machine.hpp"

#include "fit_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace memlane::gpu {
namespace {

/// Leaves out what the model cannot speak of: other kernels, and points it cannot simulate.
/// False: the work is to end.
bool choose_fit_points(const Measurements& measurements, const MachineSpec& machine,
                       const FitRequest& request, const Simulator& simulator,
                       std::int64_t max_steps, MeasuredFit& fit) {
  const std::vector<std::string> names = curve_names(measurements.points);
  const MachineSpec start = with_knobs(machine, knobs_of(request.values));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Measured& point = measurements.points[i];
    std::string why;
    if (point.variant != Variant::emitted) {
      why = fmt::format("a {} kernel, not the program's own", name_of(point.variant));
    } else if (const Result<MachineSpec> spec = machine_of(point.machine, start); !spec) {
      why = spec.errors().front().message;
    } else {
      const Prediction prediction = simulator.predict(point, *spec, max_steps);
      if (prediction.stop) return false;
      if (!prediction.time) why = "not simulated: " + prediction.why_not;
    }
    if (why.empty()) {
      fit.points.push_back(point);
      fit.curves.push_back(names[i]);
    } else {
      fit.unused.push_back({point, names[i], std::move(why)});
    }
  }
  return true;
}

/// The simulator behind a fit. Knobs that a point's machine does not have are not told apart: a UMM
/// is simulated once for all latencies of shared memory.
class SimulatedTimes {
public:
  SimulatedTimes(const std::vector<Measured>& points, const MachineSpec& machine,
                 const Simulator& simulator)
      : points_(points), machine_(machine), simulator_(simulator), known_(points.size()) {}

  std::optional<double> operator()(std::size_t i, const Knobs& knobs) {
    // A machine is known to have what the point needs: it was simulated before.
    const MachineSpec machine = *machine_of(points_[i].machine, with_knobs(machine_, knobs));
    const Knobs own = {machine.shared ? machine.shared->latency.value : 0,
                       machine.global ? machine.global->latency.value : 0,
                       machine.memory_unit().ports};
    const auto found = known_[i].find(own);
    if (found != known_[i].end()) return found->second;
    // Instructions do not depend on latencies: what ran within the bound at first does so again.
    const Prediction prediction = simulator_.predict(points_[i], machine, INT64_MAX);
    if (!prediction.time) return std::nullopt;
    return known_[i].emplace(own, static_cast<double>(*prediction.time)).first->second;
  }

private:
  const std::vector<Measured>& points_;
  const MachineSpec& machine_;
  const Simulator& simulator_;
  std::vector<std::map<Knobs, double>> known_;
};

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
  if (!choose_fit_points(measurements, machine, request, simulator, max_steps, measured)) {
    measured.fit.stopped = true;
    return measured;
  }
  std::vector<FitPoint> points;
  for (std::size_t i = 0; i < measured.points.size(); ++i) {
    points.push_back(fit_point(measured.points[i], measured.curves[i]));
  }
  SimulatedTimes times(measured.points, machine, simulator);
  const TimeAt time_at = [&](std::size_t i, const Knobs& knobs) { return times(i, knobs); };
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
  fitted.notes +=
      fmt::format("\nRelative residuals have a root mean square of {:.2f} %.", 100 * fit.fit.rms);
  return fitted;
}

} // namespace memlane::gpu
