// Which measured points are used, how they are named and grouped, and what simulates them.
#pragma once

#include "memlane/study/gpu/measurements.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace memlane::measure {

/// The machine that simulates a measured kernel. The kernel gives model, width, multiprocessors and
/// threads; `machine` gives latencies, ports, capacities and costs. A DMM takes the shared memory
/// of `machine`, a UMM its global memory. An error if `machine` has no such memory.
Result<MachineSpec> machine_of(const KernelShape& kernel, const MachineSpec& machine);

struct Prediction {
  std::optional<std::int64_t> time; ///< time units, the machine's launch cost included
  std::string why_not;              ///< why there is no time
  std::int64_t launches = 0;        ///< of the simulated run
  std::int64_t steps = 0;           ///< instructions simulated
  bool stop = false;                ///< interrupted or out of time: simulate no further point
};

/// A run of the emitted variant's program with the point's parameters, replacements and seed.
struct Simulation {
  const MeasuredPoint* point;
  MachineSpec machine;
  std::int64_t max_steps; ///< instructions
};
/// `done` of `total` simulations that were asked for together; may be empty.
using SimulationProgress = std::function<void(std::size_t done, std::size_t total)>;

/// The caller's simulator.
struct Simulator {
  /// SHA-256 of the text of a point's program, or of its executable; an error if there is none.
  std::function<Result<std::string>(const MeasuredPoint&)> sha256;
  /// The predictions of these, in their order; they may run side by side.
  std::function<std::vector<Prediction>(const std::vector<Simulation>&, const SimulationProgress&)>
      predict;
};

struct Selection {
  std::string device;       ///< may be empty if the file has one device
  bool any_version = false; ///< keep points whose program has changed since
};

/// Removes points with a wrong result, points whose program is missing or has changed, and all but
/// the last of equal points (kernels with and without `fmad` differ); adds a warning for each. An
/// error, with the warnings, if no point is left, or if several devices were measured and none is
/// selected.
Status select_points(Measurements& measurements, const Selection& selection,
                     const Simulator& simulator, Diagnostics& warnings);

/// The name of each point's curve. Points of a curve differ in n alone. A name has the program, its
/// replacements and its other parameters; also the machine and the rounding of products and sums,
/// if the program was measured with several.
std::vector<std::string> curve_names(const std::vector<MeasuredPoint>& points);
/// The parameter n, if there is one and it is positive.
std::optional<double> size_of(const MeasuredPoint& point);
/// Only points of one problem are ranked: they compute the same from the same element type, on the
/// same kind of machine, and round products and sums alike.
std::string problem_of(const MeasuredPoint& point);
/// Equal for points that have the same simulated time on every machine. Hand-written kernels and
/// kernels with `fmad` have the key of the program's emitted kernel.
std::string simulation_key(const MeasuredPoint& point);
/// The program; an executable with its arguments.
std::string command_of(const MeasuredPoint& point);
/// `n=1024 k=4`.
std::string parameters_text(const Parameters& parameters);

} // namespace memlane::measure
