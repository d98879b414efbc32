// memlane gpu: real GPUs. Each word is a command of its own.
#include "gpu.hpp"

#include "cuda_program.hpp"
#include "files.hpp"
#include "program.hpp"
#include "results.hpp"
#include "sweep_request.hpp"

#include "memlane/study/gpu/simulator.hpp"
#include "memlane/support/sha256.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

// A point is a line of some hundred bytes to some kilobytes.
constexpr std::size_t most_measured_bytes = std::size_t{256} << 20;

} // namespace

Result<measure::Measurements> read_measured_file(const std::string& path, Sources& sources) {
  Result<std::string> text = read_file(path, most_measured_bytes, {}, sources.limits());
  if (!text) return text.errors();
  return measure::read_measurements(sources, sources.add(path, std::move(*text)));
}

void add_measured(Options& options, MeasuredRequest& request) {
  options.take_word("file of measurements", &request.path);
  add_machine(options, request.machine,
              "the GPU's latencies, ports and costs; each kernel has its own model,\n"
              "width, multiprocessors and threads");
  options.add("device", "NAME", &request.selection.device, "the device, if the file has several");
  options.flag("any-version", &request.selection.any_version,
               "use points of programs whose text has changed since");
  options.add("page", "FILE.html", opened(&request.page),
              "write pictures and tables as one HTML page");
  options.add("max-memory", "BYTES", bytes(&request.limits.memory),
              "most bytes of arrays of a simulation; 2G");
  add_seconds(options, request.limits);
  add_engine(options, request.engine);
}

Result<MeasuredWork> prepare_measured(const MeasuredRequest& request, ErrorCollector errors,
                                      Sources& sources, const Console& console) {
  if (!request.machine.chosen)
    errors.add(error_in(
        "-m", "a machine is needed that stands for the GPU",
        {"for example -m hmm-h200-plain; 'memlane list machines' lists the shipped ones"}));
  sources.set_limits(request.limits);
  MeasuredWork work;
  const Result<LoadedMachine> machine = load_selected_machine(sources, request.machine);
  if (errors.check(machine)) work.machine = machine->spec;
  errors.take(read_measured_file(request.path, sources), work.measurements);
  if (!errors.ok()) return errors.errors();
  console.print_error(render(work.measurements.warnings, sources));
  measure::SimulatedFiles files;
  files.sha256 = [&sources](const measure::MeasuredPoint& point) -> Result<std::string> {
    if (point.launch) {
      const Result<std::string> bytes = read_file(point.program, most_executable_bytes);
      return bytes ? Result<std::string>(sha256(*bytes)) : bytes.errors();
    }
    const Result<ProgramText> text = load_program_text(sources, {point.program});
    return text ? Result<std::string>(text->info.sha256) : text.errors();
  };
  files.program = sweep_files(sources).program;
  work.simulator = measure::simulator_of(std::move(files), sources, request.limits, request.engine,
                                         request.jobs);
  Diagnostics warnings;
  const Status selected =
      measure::select_points(work.measurements, request.selection, work.simulator, warnings);
  if (!selected) return selected.errors();
  console.print_error(render(warnings, sources));
  return work;
}

Exit stopped_exit(const Limits& limits, const Console& console) {
  const Stop stop = limits.check ? limits.check() : Stop::wall_clock;
  const Stop shown = stop == Stop::interrupted ? stop : Stop::wall_clock;
  console.print_error(fmt::format("{}\n", sweep::stop_text(shown)));
  return exit_after(shown);
}

Command gpu_command() {
  Command command;
  command.name = "gpu";
  command.usage = "COMMAND [options]";
  command.summary = "measure kernels on a real GPU, compare their times with the models";
  command.description = "Measurements are recorded as JSON Lines, a measured kernel a line. What\n"
                        "is recorded can be compared and fitted without a GPU.";
  command.words = {gpu_measure_command(), gpu_compare_command(), gpu_fit_command()};
  for (const Command& word : command.words) {
    command.examples.insert(command.examples.end(), word.examples.begin(), word.examples.end());
  }
  return command;
}

} // namespace memlane::cli
