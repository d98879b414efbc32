// Programs that nvcc has compiled: measured on a GPU, and run on a machine for a comparison.
#pragma once

#include "console.hpp"

#include "memlane/study/gpu/executables.hpp"
#include "memlane/support/limits.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memlane::cli {

/// Runs a program, its arguments behind it, `runs` times on this computer's GPU and writes the
/// measurements of its launches. Errors: a program that cannot be measured or fails, launches that
/// have no time, runs that differ.
Result<Exit> measure_executable(const std::vector<std::string>& words, std::int64_t runs,
                                const std::string& output, Sources& sources, Console& console);

/// Runs programs on the machine within the limits; `most_seconds` 0: no limit. Errors: those of
/// `memlane cuda`, and a program that fails. The machine and the sources must outlive it.
measure::RunExecutable run_on_machine(const MachineSpec& machine, const Limits& limits,
                                      std::int64_t most_steps, double most_seconds,
                                      Sources& sources);

} // namespace memlane::cli
