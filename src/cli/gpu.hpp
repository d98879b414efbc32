// memlane gpu: what its words have in common.
#pragma once

#include "command.hpp"
#include "engine.hpp"

#include "memlane/engine/machine_run.hpp"
#include "memlane/measure/measured_points.hpp"

namespace memlane::cli {

/// The words of `memlane gpu`, one file each.
Command gpu_measure_command();
Command gpu_compare_command();
Command gpu_fit_command();

/// The simulator of shipped programs and of programs given by their path. Refers to `sources`.
measure::Simulator gpu_simulator(Sources& sources, const Limits& limits, Engine engine);

/// What compare and fit are given, and read alike.
struct MeasuredWork {
  Sources sources;
  measure::Measurements measurements; ///< without those left out
  MachineSpec machine;
  Limits limits;
  std::optional<std::int64_t> max_steps;
  measure::Simulator simulator;
};
/// `NAME MEASURED.jsonl -m MACHINE` with the options that such words have in common.
Command measured_command(std::string_view name, std::string_view summary);
/// An error unless one file is given.
Status one_measured_file(const Arguments& arguments, std::string_view name);
/// Reads MEASURED.jsonl and the options; warnings go to `console`.
Status prepare_measured(const Arguments& arguments, const Console& console, MeasuredWork& work);

/// The exit status of work that was ended before its end.
Exit stopped_exit(const Limits& limits, const Console& console);

} // namespace memlane::cli
