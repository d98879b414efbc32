// From measured points to points that a model can be held against.
#pragma once

#include "memlane/measure/fit.hpp"
#include "memlane/measure/measured.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace memlane::measure {

/// The machine that a measured kernel is priced on: model, width, multiprocessors and threads are
/// the kernel's own, since the kernel was made for them; latencies, ports, capacities and costs are
/// those of `machine`. The memory of a DMM has the shared unit's latency and ports, that of a UMM
/// the global unit's. An error where `machine` has no such unit.
Result<MachineSpec> machine_of(const KernelShape& kernel, const MachineSpec& machine);

/// The simulator's answer.
struct Prediction {
  std::optional<std::int64_t> time; ///< time units, the machine's launch cost included
  std::string why_not;              ///< without a time: why there is none
  std::int64_t launches = 0;        ///< of the simulated run
  std::int64_t steps = 0;           ///< instructions simulated
  bool stop = false;                ///< the whole work is to end: interrupted, or out of time
};

/// The simulator, as the edge provides it.
struct Simulator {
  /// SHA-256 of a program's text, or why there is no such program.
  std::function<Result<std::string>(const std::string& program)> sha256;
  /// Runs the emitted variant's program with the point's parameters, replacements and seed.
  std::function<Prediction(const Measured&, const MachineSpec&, std::int64_t max_steps)> predict;
};

struct Selection {
  std::string device;       ///< of several in a file; empty: there is one
  bool any_version = false; ///< also points of other texts of a program
};

/// What was left out, a warning each kind.
struct LeftOut {
  Diagnostics warnings;
};

/// Leaves out, with a warning each kind: points whose result was wrong, whose program is not there
/// or has another text, and all but the last of the same point (kernels built with and without
/// `fmad` are two points). An error if nothing is left, or if
/// the points are of several devices and none was chosen.
Result<LeftOut> select_points(Measurements& measurements, const Selection& selection,
                              const Simulator& simulator);

/// The names of curves. Points of one curve differ in n alone: program, replacements, the other
/// parameters, and, where a program has several, the machine it was made for, and how products and
/// sums were rounded.
std::vector<std::string> curve_names(const std::vector<Measured>& points);
/// The parameter n, if there is one and it is positive.
std::optional<double> size_of(const Measured& point);
/// The point as a fit takes it; `curve` is for its label.
FitPoint fit_point(const Measured& point, const std::string& curve);
/// What may be ranked together: points whose kernels compute the same from elements of the same
/// type, were made for the same kind of machine, and round products and sums alike.
std::string problem_of(const Measured& point);
/// What decides a point's simulated time on a machine, as a key: kernels by hand and with `fmad`
/// have it in common with the program's emitted one.
std::string simulation_key(const Measured& point);
/// `n=1024 k=4`.
std::string parameters_text(const Parameters& parameters);

} // namespace memlane::measure
