#include "memlane/machine/keys.hpp"
#include "memlane/study/gpu/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace memlane::measure {
namespace {

/// The machine with these latencies for the memories it has, and these ports for its global memory
/// (a DMM: its shared memory). Launches cost 0, since the fit adds their cost.
MachineSpec with_timing(MachineSpec machine, const MemoryTiming& timing) {
  if (machine.shared) machine.shared->latency = Cycles{timing.shared_latency};
  if (machine.global) machine.global->latency = Cycles{timing.global_latency};
  (machine.global ? *machine.global : *machine.shared).ports = timing.ports;
  machine.launch_cost = Cycles{0};
  return machine;
}

MemoryTiming timing_of(const MachineSpec& machine) {
  return {machine.shared ? machine.shared->latency.value : 1,
          machine.global ? machine.global->latency.value : 1, machine.memory_unit().ports};
}

/// Simulates each program and machine once. A UMM has one prediction for all latencies of shared
/// memory, and points that differ only in what the simulator ignores, such as fmad, have one as
/// well.
class Predictions {
public:
  Predictions(const MachineSpec& machine, const Simulator& simulator,
              const SimulationProgress& progress)
      : machine_(machine), simulator_(simulator), progress_(progress) {}

  /// Of every point at every timing, in the order of the timings.
  std::vector<const Prediction*> of(const std::vector<MeasuredPoint>& points,
                                    const std::vector<MemoryTiming>& timings,
                                    std::int64_t max_steps) {
    std::vector<const Prediction*> predictions;
    std::vector<Simulation> simulations;
    std::vector<Prediction*> simulated;
    for (const MemoryTiming& timing : timings) {
      for (const MeasuredPoint& point : points) {
        const Result<MachineSpec> spec = machine_of(point.machine, with_timing(machine_, timing));
        const auto [place, is_new] =
            known_[simulation_key(point)].try_emplace(spec ? timing_of(*spec) : timing);
        predictions.push_back(&place->second);
        if (!spec) {
          place->second.why_not = spec.errors().front().message;
        } else if (is_new) {
          simulations.push_back({&point, *spec, max_steps});
          simulated.push_back(&place->second);
        }
      }
    }
    const std::vector<Prediction> results = simulator_.predict(simulations, progress_);
    for (std::size_t i = 0; i < results.size(); ++i) {
      *simulated[i] = results[i];
      stopped_ = stopped_ || results[i].stop;
    }
    return predictions;
  }
  bool stopped() const { return stopped_; }

private:
  const MachineSpec& machine_;
  const Simulator& simulator_;
  const SimulationProgress& progress_;
  std::map<std::string, std::map<MemoryTiming, Prediction>> known_;
  bool stopped_ = false;
};

/// The request's values, else those of the machine.
ParameterValues start_values(const MachineSpec& machine, const FitRequest& request) {
  const MemoryTiming timing = timing_of(machine);
  ParameterValues values = {1, 0};
  for (const ParameterInfo& info : parameters()) {
    double& value = values[info.parameter];
    if (info.simulated) value = static_cast<double>(timing.*info.simulated);
    value = request.fixed[info.parameter].value_or(std::clamp(value, info.lower, info.upper));
  }
  return values;
}

/// Splits the points into those of emitted kernels that can be simulated, and unused ones.
MeasuredFit choose_points(const Measurements& measurements, const MemoryTiming& timing,
                          std::int64_t max_steps, Predictions& predictions) {
  std::vector<MeasuredPoint> emitted;
  for (const MeasuredPoint& point : measurements.points)
    if (point.variant == Variant::emitted) emitted.push_back(point);
  const std::vector<const Prediction*> predicted = predictions.of(emitted, {timing}, max_steps);
  const std::vector<std::string> names = curve_names(measurements.points);
  MeasuredFit fit;
  auto prediction = predicted.begin();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const MeasuredPoint& point = measurements.points[i];
    std::string why;
    if (point.variant != Variant::emitted) {
      why = point.launch
                ? "a launch of an executable"
                : fmt::format("a {} kernel, not the program's own", name_of(point.variant));
    } else {
      const Prediction& of_point = **prediction++;
      if (!of_point.time)
        why = "not simulated: " + (of_point.stop ? "stopped before" : of_point.why_not);
    }
    if (why.empty()) {
      fit.points.push_back(point);
      fit.curves.push_back(names[i]);
    } else {
      fit.unused.push_back({point, names[i], std::move(why)});
    }
  }
  return fit;
}

std::string estimate_note(const Estimate& estimate) {
  const ParameterInfo& info = info_of(estimate.parameter);
  std::string text = fmt::format("{} {:.6g} {}", info.name, estimate.value, info.unit);
  if (estimate.low) text += fmt::format(" (95 % {:.6g} to {:.6g})", *estimate.low, *estimate.high);
  if (estimate.status != EstimateStatus::free)
    text += fmt::format(" ({})", name_of(estimate.status));
  return text;
}

/// The standard deviation of the samples as a share of the time, estimated by the interquartile
/// range, which a single disturbed run does not change; 0 for fewer than four samples.
double spread_of(const MeasuredPoint& point) {
  const std::vector<double>& samples = point.priced_samples_ns;
  if (samples.size() < 4) return 0;
  // The interquartile range of normal samples is 1.349 standard deviations.
  return (quartile(samples, 3) - quartile(samples, 1)) / 1.349 / point.priced_ns;
}

} // namespace

FitPoint fit_point(const MeasuredPoint& point) {
  return {point.program, point.priced_ns, static_cast<double>(point.priced_launches()),
          spread_of(point)};
}

Result<MeasuredFit> fit_measured(const Measurements& measurements, const MachineSpec& machine,
                                 const FitRequest& request, const Simulator& simulator) {
  Predictions predictions(machine, simulator, request.progress);
  const ParameterValues start = start_values(machine, request);
  MeasuredFit measured =
      choose_points(measurements, timing_of(start), request.max_steps, predictions);
  std::vector<FitPoint> points;
  for (const MeasuredPoint& point : measured.points) points.push_back(fit_point(point));
  measured.fit.stopped = points.empty() && predictions.stopped();
  if (measured.fit.stopped) return measured;
  // The first simulation kept max_steps, and instructions do not depend on latencies. A few hundred
  // simulations at a time occupy the cores; little is prepared in vain if the work is stopped.
  const SimulateTimings simulate = [&](const std::vector<MemoryTiming>& timings) {
    std::vector<std::vector<double>> units;
    const auto together = static_cast<std::ptrdiff_t>(1 + 500 / points.size());
    for (auto first = timings.begin(); first != timings.end();) {
      const auto end = first + std::min(together, timings.end() - first);
      const auto all = predictions.of(measured.points, {first, end}, INT64_MAX);
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (!all[i]->time) {
          if (i % points.size() > 0) units.pop_back();
          return units;
        }
        if (i % points.size() == 0) units.emplace_back();
        units.back().push_back(static_cast<double>(*all[i]->time));
      }
      first = end;
    }
    return units;
  };
  Result<Fit> fitted = fit(points, request.free, start, simulate);
  if (fitted) {
    measured.fit = std::move(*fitted);
    return measured;
  }
  Diagnostics errors = fitted.errors();
  for (const UnusedPoint& unused : measured.unused)
    errors.front().notes.push_back(note_at(unused.measured.place, "not used: " + unused.why));
  return errors;
}

/// The nearest number that a machine's key takes.
static std::int64_t accepted(const char* key, double number) {
  const MachineKey& own = *find_machine_key(key);
  return std::llround(
      std::clamp(number, static_cast<double>(own.minimum), static_cast<double>(own.maximum)));
}

MachineSpec fitted_machine(const MachineSpec& machine, const MeasuredFit& fit,
                           const std::string& measurements) {
  const ParameterValues values = fit.fit.values();
  MachineSpec fitted = with_timing(machine, timing_of(values));
  const double launch = values[Parameter::launch] / values[Parameter::unit];
  fitted.launch_cost = Cycles{accepted("launch_cost", launch)};
  fitted.clock = accepted("clock", 1e9 / values[Parameter::unit]);
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
