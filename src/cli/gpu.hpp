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
void add_measured(Options& options, MeasuredRequest& request);
constexpr std::string_view measured_usage = "MEASURED.jsonl -m MACHINE [options]";

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
