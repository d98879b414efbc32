// Launches of CUDA programs that memlane did not emit: measured on a GPU, and run by `memlane cuda`
// on a machine.
#pragma once

#include "memlane/study/gpu/measured_points.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memlane::measure {

/// One run of a program. Launches of graphs and captured ones are not among the launches.
struct ExecutableRun {
  std::vector<ProgramLaunch> launches;
  std::vector<std::int64_t> times; ///< of a run on a machine: time units, the launch cost included
  std::vector<double> ns;          ///< of a run on a GPU
  std::int64_t captured = 0;       ///< on a GPU: launches while a stream was captured
  Device device;                   ///< of a run on a GPU
};

/// `tiled<<<(8,8),(32,8),64>>>`: the name in the source and the shape as CUDA writes it;
/// `<<<8,32>>>` of one dimension, without shared memory that is allocated dynamically.
std::string launch_text(const ProgramLaunch& launch);

/// `2 launches captured into a graph`.
std::string captured_text(std::int64_t launches);

/// The lines of measurements of a program: one for each launch, with a sample of each run, and one
/// that is skipped if launches were captured. Requires a run. Errors: the runs have other launches
/// or devices.
Result<std::string> executable_lines(const std::string& program,
                                     const std::vector<std::string>& arguments,
                                     const std::string& sha256,
                                     const std::vector<ExecutableRun>& runs);

/// Runs a program with arguments on the machine of a comparison.
using RunExecutable = std::function<Result<ExecutableRun>(
    const std::string& program, const std::vector<std::string>& arguments)>;

/// Runs each measured executable once with its arguments; predictions by the points'
/// simulation_key. Errors, with the place of the measurement: launches that a file lacks (it was
/// cut off), another number of launches, another kernel or shape than measured, those of `run`.
Result<std::map<std::string, Prediction>> predict_executables(const Measurements& measurements,
                                                              const RunExecutable& run);

} // namespace memlane::measure
