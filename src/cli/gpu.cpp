// memlane gpu: real GPUs. Each word is a command of its own.
#include "gpu.hpp"

#include "files.hpp"
#include "program.hpp"
#include "results.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

// A point is a line of some hundred bytes to some kilobytes.
constexpr std::size_t most_measured_bytes = std::size_t{256} << 20;

constexpr const char* measured_usage = "MEASURED.jsonl -m MACHINE [options]";

std::vector<Option> measured_options() {
  const std::vector<Option> own = {
      {"machine", 'm', "MACHINE", false,
       "the GPU's latencies, ports and costs; each kernel has its own model,\n"
       "width, multiprocessors and threads"},
      {"set", 0, "KEY=VALUE", true, "set a value of the machine, e.g. global.latency=300"},
      {"device", 0, "NAME", false, "the device, if the file has several"},
      {"any-version", 0, "", false, "use points of programs whose text has changed since"},
      {"page", 0, "FILE.html", false, "write pictures and tables as one HTML page"},
      {"max-memory", 0, "BYTES", false, "most bytes of arrays of a simulation; 2G"},
      {"max-seconds", 0, "S", false, "stop after S seconds of work (exit status 3)"}};
  return join_options({own, engine_options()});
}

} // namespace

Result<measure::Measurements> read_measured_file(const std::string& path, Sources& sources) {
  Result<std::string> text = read_file(path, most_measured_bytes, {}, sources.limits());
  if (!text) return text.errors();
  return measure::read_measurements(sources, sources.add(path, std::move(*text)));
}

MeasuredRequest read_measured_request(OptionReader& options, std::string_view name) {
  MeasuredRequest request;
  if (options.words.size() == 1) {
    request.path = options.words.front();
  } else {
    options.add(error_in("", fmt::format("{} takes one file of measurements", name),
                         {fmt::format("usage: memlane {} {}", name, measured_usage)}));
    return request;
  }
  request.machine = read_machine(options);
  request.limits = read_limits(options);
  if (options.has("max-steps")) request.max_steps = request.limits.steps;
  request.engine = read_engine(options);
  request.selection = {options.text("device"), options.has("any-version")};
  request.page = open_file(options, "page");
  return request;
}

Result<MeasuredWork> prepare_measured(const MeasuredRequest& request, ErrorCollector errors,
                                      Sources& sources, const Console& console) {
  if (request.path.empty()) return errors.errors();
  if (!request.machine.chosen)
    errors.add(
        error_in("-m", "a machine is needed that stands for the GPU",
                 {"for example -m hmm-h200; 'memlane list machines' lists the shipped ones"}));
  sources.set_limits(request.limits);
  MeasuredWork work;
  const Result<LoadedMachine> machine = load_selected_machine(sources, request.machine);
  if (errors.check(machine)) work.machine = machine->spec;
  errors.take(read_measured_file(request.path, sources), work.measurements);
  if (!errors.ok()) return errors.errors();
  console.print_error(render(work.measurements.warnings, sources));
  work.simulator = gpu_simulator(sources, request.limits, request.engine, request.jobs);
  Diagnostics warnings;
  const Status selected =
      measure::select_points(work.measurements, request.selection, work.simulator, warnings);
  if (!selected) return selected.errors();
  console.print_error(render(warnings, sources));
  return work;
}

Command measured_command(std::string_view name, std::string_view summary) {
  Command command;
  command.name = name;
  command.usage = measured_usage;
  command.summary = summary;
  command.options = measured_options();
  return command;
}

Exit stopped_exit(const Limits& limits, const Console& console) {
  const Stop stop = limits.check ? limits.check() : Stop::wall_clock;
  const Stop shown = stop == Stop::interrupted ? stop : Stop::wall_clock;
  console.print_error(fmt::format("{}\n", sweep::stop_text(shown)));
  return shown == Stop::interrupted ? Exit::interrupted : Exit::limit;
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
