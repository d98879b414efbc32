// memlane gpu measure: the shipped programs, or a program of the user's, on this machine's GPU.
#include "child.hpp"
#include "emit_all.hpp"
#include "files.hpp"
#include "gpu.hpp"
#include "gpu_executable.hpp"
#include "program.hpp"

#include <fmt/format.h>

#include <csignal>
#include <optional>

namespace memlane::cli {
namespace {

void list_points(const std::string& points, const std::string& only, Console& console) {
  for (std::size_t at = 0; at < points.size();) {
    const std::size_t end = points.find('\n', at) + 1;
    const std::string line = points.substr(at, end - at);
    if (line.substr(0, line.find(' ')).find(only) != std::string::npos) console.out(line);
    at = end;
  }
}

struct MeasureRequest {
  std::int64_t minutes = 10;
  std::string only, output = "measured.jsonl";
  std::optional<std::string> folder; ///< that the files stay in
  MachineSelection machine = {std::string(measured_machine)};
  bool list = false;                   ///< shows the points and runs nothing
  std::vector<std::string> executable; ///< and its arguments; empty: the shipped programs
  std::int64_t runs = 5;               ///< of the executable
};

void measure_options(Options& options, MeasureRequest& request) {
  options.take_words("executable", 0, &request.executable);
  options.words.passes_on = true;
  options.add("output,o", "FILE", &request.output, "where the lines go; measured.jsonl");
  add_machine(options, request.machine, "the HMM that programs are emitted for; hmm-h200-plain");
  options.add("minutes", "M", whole(&request.minutes, 1, 9999), "end within M minutes; 10");
  options.add("only", "WORD", &request.only, "files with the word in their name, e.g. sum");
  options.flag("list", &request.list,
               "only show what would be run: file, program, variant, parameters");
  options.add("keep", "FOLDER", &request.folder, "write the files there and keep them");
  options.add("runs", "N", whole(&request.runs, 1, 1000),
              "start the executable N times, each time is the median; 5");
  options.then([](OptionReader& given, Sources&) {
    for (const char* option : {"machine", "set", "minutes", "only", "list", "keep"})
      if (!given.words.empty() && given.has(option))
        given.fail(fmt::format("--{}", option), "this is for the shipped programs",
                   "leave it out; the executable's own options stand behind it");
    if (given.words.empty() && given.has("runs"))
      given.fail("--runs", "this is for an executable", "name one behind the options");
  });
}

Result<Exit> gpu_measure(MeasureRequest& request, Sources& sources, Console& console) {
  if (!request.executable.empty())
    return measure_executable(request.executable, request.runs, request.output, sources, console);
  if (request.list) {
    const Result<std::string> points = measured_points(sources);
    if (!points) return points.errors();
    list_points(*points, request.only, console);
    return Exit::done;
  }
  std::optional<TemporaryFolder> own;
  const std::string folder = request.folder ? *request.folder : own.emplace("measure").path();
  if (folder.empty())
    return error_in("", "no folder for temporary files can be made",
                    {"--keep FOLDER takes one of yours"});
  const Status emitted = emit_all(folder, request.machine, sources);
  if (!emitted) return emitted.errors();

  std::vector<std::string> command = {"bash",      folder + "/measure.sh",
                                      "--minutes", std::to_string(request.minutes),
                                      "-o",        request.output};
  if (!request.only.empty()) command.insert(command.end(), {"--only", request.only});
  const ChildEnd end = run_child(command);
  if (end.start_error != 0) return error_in("", "bash, which measures, cannot be started");
  if (end.signal == SIGINT || end.status == 128 + SIGINT) return Exit::interrupted;
  if (end.signal != 0 || end.status > 1) return Exit::error;
  return end.status == 1 ? Exit::check_failed : Exit::done;
}

} // namespace

Command gpu_measure_command() {
  return {
      "gpu measure",
      "[options] [EXECUTABLE [arguments]]",
      "run a CUDA program, or the shipped ones, on this machine's GPU",
      "Start EXECUTABLE, which nvcc linked with the shared runtime (-cudart shared), and\n"
      "measure each launch of its kernels by CUDA events: a line of measurements for each,\n"
      "which 'memlane gpu compare' sets beside the time on a machine. Launches that are\n"
      "captured into graphs are not measured. Options stand before EXECUTABLE; what follows\n"
      "it is the program's, and the first run has its input and output.\n"
      "\n"
      "Without EXECUTABLE, write the files of 'emit-cuda --all', build them with nvcc and run\n"
      "each at several sizes: emitted programs, kernels written by hand, CUB's. Where there is\n"
      "no nvcc or no GPU it says so and ends with status 2. The folder of 'emit-cuda --all' can\n"
      "be taken to a machine that has them: its measure.sh needs nothing of memlane.",
      call_with(measure_options, gpu_measure),
      {"memlane gpu measure --only sum --list"}};
}

} // namespace memlane::cli
