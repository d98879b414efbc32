#include "gpu_executable.hpp"

#include "cuda_driver.hpp"
#include "cuda_program.hpp"
#include "cuda_run.hpp"
#include "files.hpp"
#include "pending_file.hpp"

#include "memlane/kernels/priced_run.hpp"
#include "memlane/ptx/names.hpp"
#include "memlane/ptx/price.hpp"
#include "memlane/support/sha256.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>

namespace memlane::cli {

namespace {

using measure::ExecutableRun;
using measure::ProgramLaunch;

/// Why no program can launch a kernel here; empty: nothing is known.
std::string missing_gpu() {
  const Result<int> gpus = count_gpus();
  return gpus ? "" : gpus.errors().front().message;
}

std::array<std::int64_t, 3> extent_in(const nlohmann::json& line, const char* key) {
  std::array<std::int64_t, 3> extent{};
  const auto found = line.find(key);
  if (found == line.end() || !found->is_array() || found->size() != extent.size()) return extent;
  for (std::size_t k = 0; k < extent.size(); ++k)
    if ((*found)[k].is_number_integer()) extent[k] = (*found)[k].get<std::int64_t>();
  return extent;
}

ProgramLaunch launch_in(const nlohmann::json& line) {
  ProgramLaunch launch;
  launch.symbol = text_in(line, "symbol");
  launch.grid = extent_in(line, "grid");
  launch.block = extent_in(line, "block");
  launch.dynamic_shared = integer_in(line, "dynamic_shared");
  return launch;
}

bool is_true(const nlohmann::json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && *found == true;
}

/// What the measuring library has told of a run.
struct MeasuredReport {
  ExecutableRun run;
  bool ended = false;       ///< all launches are told
  std::int64_t refused = 0; ///< launches that failed
  std::string refusal;      ///< of the first of them
  std::string lost;         ///< a launch without a time, and why; empty: none
  std::vector<std::string> devices;
  std::vector<std::int64_t> processes;
};

void add_line(const nlohmann::json& line, MeasuredReport& report) {
  const std::int64_t process = integer_in(line, "process");
  if (std::find(report.processes.begin(), report.processes.end(), process) ==
      report.processes.end())
    report.processes.push_back(process);
  if (const auto device = line.find("device"); device != line.end() && device->is_object()) {
    const std::string name = text_in(*device, "name");
    if (std::find(report.devices.begin(), report.devices.end(), name) == report.devices.end())
      report.devices.push_back(name);
  }
  if (line.contains("launch")) {
    const auto ns = line.find("ns");
    const bool has_time = ns != line.end() && ns->is_number() && ns->get<double>() > 0;
    report.run.launches.push_back(launch_in(line));
    report.run.ns.push_back(has_time ? ns->get<double>() : 0);
    if (!has_time && report.lost.empty())
      report.lost = fmt::format("launch {}, {}, has no time: {}", report.run.launches.size() - 1,
                                launch_text(report.run.launches.back()), text_in(line, "lost"));
  } else if (line.contains("refused")) {
    if (report.refused++ == 0)
      report.refusal =
          fmt::format("the launch of {} fails: {}", ptx::source_name(text_in(line, "symbol")),
                      text_in(line, "refused"));
  }
  report.run.captured += line.contains("captured");
  report.ended = report.ended || is_true(line, "end");
}

bool is_without_gpu(const std::string& refusal) {
  return refusal.ends_with("cudaErrorNoDevice") || refusal.ends_with("cudaErrorInsufficientDriver");
}

/// How a program ended, if it is not with success.
std::string failure_of(const ChildEnd& end) {
  if (end.signal != 0)
    return fmt::format("the program was ended by signal {} ({})", end.signal,
                       strsignal(end.signal));
  return end.status == 0 ? "" : fmt::format("the program ends with status {}", end.status);
}

/// What of a run cannot be measured, with advice.
Status check_measured(const std::string& program, const ChildEnd& end,
                      const MeasuredReport& report) {
  std::vector<std::string> help;
  if (report.refused > 0) help.push_back(report.refusal);
  const bool has_none = report.devices.empty() && report.run.captured == 0;
  if (has_none && (report.refused == 0 || is_without_gpu(report.refusal)))
    if (std::string missing = missing_gpu(); !missing.empty()) help.push_back(std::move(missing));
  constexpr int loader_status = 127;
  if (end.status == loader_status)
    help.emplace_back("if its runtime library is not found, LD_LIBRARY_PATH names the folder of "
                      "libcudart.so");
  if (std::string failure = failure_of(end); !failure.empty())
    return error_in(program, std::move(failure), std::move(help));
  if (report.processes.size() > 1)
    return error_in(program, fmt::format("{} processes launch kernels", report.processes.size()),
                    {"measure programs of one process"});
  if (report.devices.size() > 1)
    return error_in(program,
                    fmt::format("kernels run on {} kinds of GPUs: {}", report.devices.size(),
                                fmt::join(report.devices, ", ")),
                    {"CUDA_VISIBLE_DEVICES=0 leaves one"});
  if (has_none) {
    help.emplace_back("only launches by CUDA's shared runtime are seen, also of libraries");
    return error_in(program, "the program launches no kernel", std::move(help));
  }
  if (report.devices.empty())
    return error_in(program,
                    fmt::format("{}, and no other: such launches have no time of their own",
                                measure::captured_text(report.run.captured)));
  if (!report.ended)
    return error_in(program, "the program ended before its launches were told",
                    {"it calls _exit: let it call exit, or return from main"});
  if (!report.lost.empty()) return error_in(program, report.lost);
  return Done{};
}

/// One run on this computer's GPU.
Result<ExecutableRun> measured_run(const std::vector<std::string>& words, RunOutput output,
                                   Console& console) {
  const TemporaryFolder folder("measure");
  const Result<ReportedRun> run = run_measured(words, folder.path(), output);
  if (!run) return run.errors();
  MeasuredReport report;
  each_report_line(run->lines,
                   [&](const nlohmann::json& line, const auto&) { add_line(line, report); });
  if (const Status whole = check_measured(words.front(), run->end, report); !whole)
    return whole.errors();
  if (output == RunOutput::own && report.refused > 0)
    console.print_error(fmt::format("warning: {} not measured: {}\n",
                                    counted(report.refused, "launch", "launches"), report.refusal));
  report.run.device.name = report.devices.empty() ? "unknown" : report.devices.front();
  return std::move(report.run);
}

} // namespace

Result<Exit> measure_executable(const std::vector<std::string>& words, std::int64_t runs,
                                const std::string& output, Sources& sources, Console& console) {
  std::vector<std::string> command = words;
  if (std::filesystem::path(words.front()).extension() == ".cu")
    return error_in(words.front(), "a program is needed, not its source",
                    {"compile it: nvcc -cudart shared my.cu -o my"});
  const Result<std::string> program = program_path(words.front());
  if (!program) return program.errors();
  command.front() = *program;
  if (const Status fits = check_measurable_program(*program, sources); !fits) return fits.errors();
  const Result<std::string> bytes = read_file(*program, most_executable_bytes);
  if (!bytes) return bytes.errors();
  Result<PendingFile> file = PendingFile::open(output);
  if (!file) return file.errors();
  std::vector<ExecutableRun> measured;
  for (std::int64_t k = 0; k < runs; ++k) {
    Result<ExecutableRun> run =
        measured_run(command, k == 0 ? RunOutput::own : RunOutput::quiet, console);
    if (!run) return run.errors();
    measured.push_back(std::move(*run));
  }
  const std::vector<std::string> arguments(command.begin() + 1, command.end());
  const Result<std::string> lines =
      measure::executable_lines(*program, arguments, sha256(*bytes), measured);
  if (!lines) return lines.errors();
  if (const Status written = file->write(*lines); !written) return written.errors();
  const ExecutableRun& first = measured.front();
  std::string said =
      fmt::format("{}: {} of {}, {}, on {}\n", output,
                  counted(static_cast<std::int64_t>(first.launches.size()), "launch", "launches"),
                  *program, counted(runs, "run"), first.device.name);
  if (first.captured > 0)
    said += fmt::format("{}: not measured\n", measure::captured_text(first.captured));
  console.print_error(said);
  return Exit::done;
}

namespace {

/// The end of what a program wrote, as advice.
std::vector<std::string> last_lines(const std::string& path) {
  constexpr std::size_t most_lines = 5, most_bytes = std::size_t{64} << 20;
  const auto text = file_text(path, most_bytes);
  std::vector<std::string> lines;
  std::string_view rest = text ? std::string_view(*text) : "";
  while (!rest.empty() && lines.size() < most_lines) {
    if (rest.back() == '\n') rest.remove_suffix(1);
    const std::size_t begin = rest.rfind('\n') + 1; // 0 after npos
    lines.push_back(on_one_line(rest.substr(begin), 200));
    rest = rest.substr(0, begin);
  }
  if (!lines.empty()) lines.emplace_back("the end of its output:");
  return {lines.rbegin(), lines.rend()};
}

/// Launches of graphs are not measured either.
Result<ExecutableRun> priced_run(const std::string& program, const ReportedRun& run) {
  ExecutableRun priced;
  std::optional<ProgramLaunch> without_time;
  each_report_line(run.lines, [&](const nlohmann::json& line, const auto&) {
    if (!line.contains("launch") || is_true(line, "graph")) return;
    priced.launches.push_back(launch_in(line));
    priced.times.push_back(integer_in(line, "time"));
    if (!line.contains("time")) without_time = priced.launches.back();
  });
  std::string failure = failure_of(run.end);
  if (failure.empty() && without_time)
    failure = fmt::format("{} has no time", launch_text(*without_time));
  if (!failure.empty())
    return error_in(program, "run on the machine, " + failure, last_lines(run.output));
  return priced;
}

} // namespace

measure::RunExecutable run_on_machine(const MachineSpec& machine, const Limits& limits,
                                      std::int64_t most_steps, double most_seconds,
                                      Sources& sources) {
  return [&machine, &sources, limits, most_steps,
          most_seconds](const std::string& program,
                        const std::vector<std::string>& arguments) -> Result<ExecutableRun> {
    if (const Status fits = ptx::Pricing::check(machine); !fits) return fits.errors();
    if (const Status usable = check_cuda_program(program, sources); !usable) return usable.errors();
    const TemporaryFolder folder("cuda");
    PriceOrder order;
    order.program = program;
    order.machine = machine;
    order.races = ptx::RaceCheck::off;
    order.most_steps = most_steps;
    order.most_memory = limits.memory;
    order.most_seconds = most_seconds;
    order.folder = folder.path();
    std::vector<std::string> words = {program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Result<ReportedRun> run = run_with_runtime(words, order, "", RunOutput::quiet);
    return run ? priced_run(program, *run) : Result<ExecutableRun>(run.errors());
  };
}

} // namespace memlane::cli
