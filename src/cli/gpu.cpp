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

void append(Diagnostics& errors, const Diagnostics& more) {
  errors.insert(errors.end(), more.begin(), more.end());
}

Status load_measured_machine(const Arguments& arguments, MeasuredWork& work) {
  if (!arguments.has("machine")) {
    return error_in("-m", "a machine is needed that stands for the GPU",
                    {"-m hmm-h200, say; 'memlane list machines' lists the shipped ones"});
  }
  const Result<LoadedMachine> machine = load_asked_machine(work.sources, arguments);
  if (!machine) return machine.errors();
  work.machine = machine->spec;
  return Done{};
}

Status read_measured_file(const std::string& path, MeasuredWork& work) {
  Result<std::string> text = read_file(path, most_measured_bytes);
  if (!text) return text.errors();
  const std::int32_t file = work.sources.add(path, std::move(*text));
  Result<measure::Measurements> measurements = measure::read_measurements(work.sources, file);
  if (!measurements) return measurements.errors();
  work.measurements = std::move(*measurements);
  return Done{};
}

constexpr const char* measured_usage = "MEASURED.jsonl -m MACHINE [options]";

std::vector<Option> measured_options() {
  std::vector<Option> options = {
      {"machine", 'm', "MACHINE", false,
       "stands for the GPU: its latencies, ports, costs. Each kernel's own are the\n"
       "model, width, multiprocessors and threads that it was made for"},
      {"set", 0, "KEY=VALUE", true, "sets a value of the machine, e.g. global.latency=300"},
      {"device", 0, "NAME", false, "of several devices in the file, the one to take"},
      {"any-version", 0, "", false, "takes points of programs whose text has changed since"},
      {"page", 0, "FILE.html", false, "writes pictures and tables as one HTML page"},
      {"max-memory", 0, "BYTES", false, "most bytes of arrays of a simulation; 2G"},
      {"max-seconds", 0, "S", false, "stops after so many seconds of work (exit status 3)"}};
  for (const Option& option : engine_options()) options.push_back(option);
  return options;
}

} // namespace

Status prepare_measured(const Arguments& arguments, const Console& console, MeasuredWork& work) {
  Diagnostics errors;
  if (Status machine = load_measured_machine(arguments, work); !machine)
    append(errors, machine.errors());
  if (Result<Limits> limits = read_limits(arguments)) {
    work.limits = *limits;
  } else {
    append(errors, limits.errors());
  }
  if (arguments.has("max-steps")) work.max_steps = work.limits.steps;
  if (Status read = read_measured_file(arguments.words.front(), work); !read)
    append(errors, read.errors());
  if (!errors.empty()) return errors;
  console.talk(render(work.measurements.warnings, work.sources));

  const Result<Engine> engine = read_engine(arguments);
  if (!engine) return engine.errors();
  work.simulator = gpu_simulator(work.sources, work.limits, *engine);
  const measure::Selection selection{arguments.value("device").value_or(""),
                                     arguments.has("any-version")};
  Diagnostics warnings;
  if (Status selected =
          measure::select_points(work.measurements, selection, work.simulator, warnings);
      !selected)
    return selected;
  console.talk(render(warnings, work.sources));
  return Done{};
}

Command measured_command(std::string_view name, std::string_view summary) {
  Command command;
  command.name = name;
  command.usage = measured_usage;
  command.summary = summary;
  command.options = measured_options();
  return command;
}

Status one_measured_file(const Arguments& arguments, std::string_view name) {
  if (arguments.words.size() == 1) return Done{};
  return error_in("", fmt::format("{} takes one file of measurements", name),
                  {fmt::format("usage: memlane {} {}", name, measured_usage)});
}

Exit stopped_exit(const Limits& limits, const Console& console) {
  const Stop stop = limits.check ? limits.check() : Stop::wall_clock;
  const Stop shown = stop == Stop::interrupted ? stop : Stop::wall_clock;
  console.talk(fmt::format("{}\n", words_for(shown)));
  return shown == Stop::interrupted ? Exit::interrupted : Exit::limit;
}

Command gpu_command() {
  Command command;
  command.name = "gpu";
  command.usage = "WORD [options]";
  command.summary = "measured times of kernels on a real GPU beside the models";
  command.description = "Measurements are recorded as JSON Lines, a measured kernel a line. What\n"
                        "is recorded can be compared and fitted without a GPU.";
  command.words = {gpu_measure_command(), gpu_compare_command(), gpu_fit_command()};
  for (const Command& word : command.words) {
    command.examples.insert(command.examples.end(), word.examples.begin(), word.examples.end());
  }
  return command;
}

} // namespace memlane::cli
