// memlane gpu: what its words have in common.
#pragma once

#include "command.hpp"
#include "options.hpp"
#include "pending_file.hpp"

#include "memlane/engine/run.hpp"
#include "memlane/study/gpu/measured_points.hpp"

namespace memlane::cli {

/// The words of `memlane gpu`, one file each.
Command gpu_measure_command();
Command gpu_compare_command();
Command gpu_fit_command();

/// A file of measurements.
Result<measure::Measurements> read_measured_file(const std::string& path, Sources& sources);
/// The simulator of shipped programs and of programs given by their path; `jobs` runs side by side.
/// Refers to `sources`.
measure::Simulator gpu_simulator(Sources& sources, const Limits& limits, sweep::Engine engine,
                                 std::size_t jobs);

/// What compare and fit are asked for alike.
struct MeasuredRequest {
  std::string path; ///< MEASURED.jsonl
  MachineSelection machine;
  measure::Selection selection;
  sweep::Engine engine = sweep::Engine::fast;
  Limits limits;
  std::size_t jobs = 1;
  std::optional<std::int64_t> max_steps;
  std::optional<PendingFile> page;
};
/// `NAME MEASURED.jsonl -m MACHINE` with the options that such words have in common.
Command measured_command(std::string_view name, std::string_view summary);
/// Errors stay in `options`.
MeasuredRequest read_measured_request(OptionReader& options, std::string_view name);

/// What is loaded before the work begins.
struct MeasuredWork {
  measure::Measurements measurements; ///< without those left out
  MachineSpec machine;
  measure::Simulator simulator;
};
/// Reads the measurements and the machine; warnings go to `console`. `errors` has those of the
/// request.
Result<MeasuredWork> prepare_measured(const MeasuredRequest& request, ErrorCollector errors,
                                      Sources& sources, const Console& console);

/// The exit status of work that was ended before its end.
Exit stopped_exit(const Limits& limits, const Console& console);

} // namespace memlane::cli
