// memlane cuda: a CUDA program on memlane instead of a GPU.
#include "child.hpp"
#include "command.hpp"
#include "cuda_program.hpp"
#include "cuda_report.hpp"
#include "files.hpp"
#include "pending_file.hpp"
#include "program.hpp"
#include "results.hpp"
#include "version.hpp"

#include "memlane/kernels/price_order.hpp"
#include "memlane/ptx/fault.hpp"
#include "memlane/study/results/point_results.hpp"
#include "memlane/support/sha256.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

/// Of a report: a line a launch.
constexpr std::size_t most_report_bytes = std::size_t{1} << 30;
/// The machine without -m: its blocks may have 1024 threads.
constexpr std::string_view standard_gpu = "hmm-titan";

bool may_be_run(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code) && access(path.c_str(), X_OK) == 0;
}

/// The first folder of a list that has the program; empty: none.
std::string found_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string rest = path ? path : "";
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const fs::path candidate = fs::path(rest.substr(0, end)) / name;
    if (may_be_run(candidate)) return candidate.string();
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
  }
  return {};
}

/// A file of this folder, else a program on the path.
Result<std::string> program_path(const std::string& word) {
  std::error_code code;
  if (word.find('/') != std::string::npos || fs::exists(word, code)) {
    if (const Status there = is_there(word); !there) return there.errors();
    return word.find('/') == std::string::npos ? "./" + word : word;
  }
  const std::string found = found_in_path(word);
  if (!found.empty()) return found;
  return is_there(word).errors();
}

std::string find_nvcc() {
  if (std::string found = found_in_path("nvcc"); !found.empty()) return found;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable); home && may_be_run(fs::path(home) / "bin/nvcc"))
      return (fs::path(home) / "bin/nvcc").string();
  const std::string standard = "/usr/local/cuda/bin/nvcc";
  return may_be_run(standard) ? standard : "";
}

/// The program that nvcc makes of a .cu file. Its messages are its own.
Result<std::string> compiled(const std::string& source, const std::vector<std::string>& options,
                             const std::string& folder) {
  if (const Status there = is_there(source); !there) return there.errors();
  const std::string nvcc = find_nvcc();
  if (nvcc.empty())
    return error_in(source, "there is no nvcc here to compile it",
                    {"compile it where nvcc is: nvcc -cudart shared -lineinfo my.cu -o my; the "
                     "program then runs here without CUDA",
                     "CUDA_HOME names the folder whose bin has nvcc"});
  const std::string program = (fs::path(folder) / fs::path(source).stem()).string();
  std::vector<std::string> words = {nvcc, "-cudart", "shared", "-lineinfo"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {source, "-o", program});
  const ChildEnd end = run_child(words, {});
  if (end.start_error != 0)
    return error_in(nvcc, fmt::format("it cannot be started: {}", std::strerror(end.start_error)));
  if (end.signal != 0 || end.status != 0)
    return error_in(source, "nvcc does not compile it", {"its messages are above"});
  return program;
}

struct CudaRequest {
  std::vector<std::string> words; ///< the program and its arguments
  std::string name;               ///< of the program, or of the source that it was made of
  std::vector<std::string> nvcc;
  std::optional<PendingFile> report;
  std::string allowed; ///< names of faults, with commas between them
  bool quiet = false, functions = false;
  MachineSelection machine;
  bool prices = true;
  PriceOrder order;
  Limits limits;
  std::vector<ResultTarget> targets;
};

/// --allow-KIND for each kind of fault after which a launch can go on.
void add_allowed_faults(Options& options, std::string& allowed) {
  static const std::vector<std::pair<std::string, std::string>> flags = [] {
    std::vector<std::pair<std::string, std::string>> all; // options and kinds
    for (std::size_t k = 0; k < static_cast<std::size_t>(ptx::FaultKind::count); ++k)
      if (const auto kind = static_cast<ptx::FaultKind>(k); may_be_allowed(kind))
        all.emplace_back(fmt::format("allow-{}", name_of(kind)), name_of(kind));
    return all;
  }();
  for (const auto& flag : flags) {
    const std::string& kind = flag.second;
    options.add(flag.first, "",
                {[&allowed, &kind](const Option&, const std::string&, ErrorCollector&) {
                  allowed += (allowed.empty() ? "" : ",") + kind;
                }},
                "count such faults of kernels and go on");
  }
}

void cuda_options(Options& options, CudaRequest& request) {
  options.take_words("executable", 1, &request.words);
  options.words.except = "functions";
  options.words.passes_on = true;
  add_machine(options, request.machine,
              "a shipped machine or a path with warps of 32 threads; hmm-titan if not\n"
              "given");
  options.flag("no-price", &request.prices, "execute the kernels only, which is faster");
  options.add("races", "WHAT",
              one_of(&request.order.races, "check",
                     {{"count", ptx::RaceCheck::count},
                      {"error", ptx::RaceCheck::error},
                      {"off", ptx::RaceCheck::off}}),
              "races between warps and blocks are counted (count; if not given),\n"
              "errors (error), or not looked for (off), which is faster");
  options.flag("details", &request.order.details,
               "tables of memory units, kernels, launches, lines, sectors");
  add_targets(options, request.targets);
  add_limits(options, request.limits, &request.order.most_seconds);
  options.add("report", "FILE", opened(&request.report), "write a line of JSON for each launch");
  options.flag("quiet,q", &request.quiet, "nothing on standard error after the program has ended");
  options.add("nvcc", "WORD", &request.nvcc,
              "a word more for nvcc, e.g. --nvcc=-O1 (of a .cu file)");
  add_allowed_faults(options, request.allowed);
  options.flag("functions", &request.functions,
               "list the functions of CUDA's runtime that programs may call");
}

Result<Exit> list_functions(Console& console, const Limits& limits) {
  const auto names = cudart_functions(13, limits);
  if (!names) return names.errors();
  for (const std::string& name : *names) console.out(name + '\n');
  return Exit::done;
}

/// Writes what is asked of the library; returns the file's path.
Result<std::string> write_order(CudaRequest& request, const LoadedMachine& machine,
                                const std::string& folder, TableStyle style) {
  PriceOrder& order = request.order;
  const Result<std::string> program = read_file(request.words.front(), most_executable_bytes);
  if (!program) return program.errors();
  order.program = request.name;
  order.sha256 = sha256(*program);
  order.machine = machine.spec;
  order.machine_path = machine.path;
  order.standard_machine = !request.machine.chosen;
  order.most_steps = request.limits.steps;
  order.most_time = request.limits.time;
  order.most_memory = request.limits.memory;
  order.version = version;
  order.host = host_info();
  order.style = style;
  for (const ResultTarget& target : request.targets) order.formats.push_back(target.format);
  order.folder = folder;
  const std::string path = folder + "/order.json";
  std::ofstream(path) << text_of(order);
  return path;
}

/// The result that the library has written, to all targets. The program has standard output: what
/// has no file goes to standard error.
Status write_priced(CudaRequest& request, bool whole, Console& console) {
  ErrorCollector errors;
  for (ResultTarget& target : request.targets) {
    const std::string path = request.order.result_path(target.format);
    if (!fs::exists(path)) continue; // the summary says that no kernel was launched
    const Result<std::string> text = read_file(path, most_report_bytes);
    if (!errors.check(text)) continue;
    if (target.file)
      errors.check(write_file(*target.file, *text, whole, console));
    else if (!request.quiet)
      console.print_error('\n' + *text);
  }
  return errors.status();
}

/// Runs a program that has been checked; afterwards its report is in `lines`. `order`: the path of
/// what is asked of the library; empty: nothing.
Result<ChildEnd> run_with_library(const CudaRequest& request, const TemporaryFolder& folder,
                                  const std::string& order, std::string& lines) {
  const std::string report = folder.path() + "/report.jsonl";
  std::ofstream{report}; // the library appends to a file that is there
  std::string libraries = cudart_folder();
  if (const char* before = std::getenv("LD_LIBRARY_PATH"); before && *before != '\0')
    libraries += fmt::format(":{}", before);
  const ChildEnd end = run_child(request.words, {{"LD_LIBRARY_PATH", libraries},
                                                 {"MEMLANE_CUDA_ALLOW", request.allowed},
                                                 {"MEMLANE_CUDA_REPORT", report},
                                                 {"MEMLANE_CUDA_ORDER", order}});
  if (end.start_error != 0)
    return error_in(request.words.front(),
                    fmt::format("it cannot be started: {}", std::strerror(end.start_error)));
  const Result<std::string> read = read_file(report, most_report_bytes);
  if (!read) return read.errors();
  lines = *read;
  return end;
}

Result<Exit> cuda(CudaRequest& request, Sources& sources, Console& console) {
  if (request.functions) return list_functions(console, sources.limits());
  if (!request.machine.chosen) request.machine.name = standard_gpu;
  const Result<LoadedMachine> machine = load_selected_machine(sources, request.machine);
  if (!machine) return machine.errors();
  if (const Status fits = ptx::Pricing::check(machine->spec); !fits) return fits.errors();
  TemporaryFolder folder("cuda");
  if (folder.path().empty())
    return error_in("", "no folder for temporary files can be made",
                    {"TMPDIR names another place"});
  const std::string& word = request.words.front();
  const bool is_source = fs::path(word).extension() == ".cu";
  const Result<std::string> program =
      is_source ? compiled(word, request.nvcc, folder.path()) : program_path(word);
  if (!program) return program.errors();
  if (const Status usable = check_cuda_program(*program, sources); !usable) return usable.errors();
  request.name = is_source ? word : *program;
  request.words.front() = *program;
  std::string order;
  if (request.prices) {
    const Result<std::string> path = write_order(request, *machine, folder.path(), console.style());
    if (!path) return path.errors();
    order = *path;
  }
  std::string lines;
  const Result<ChildEnd> end = run_with_library(request, folder, order, lines);
  if (!end) return end.errors();
  if (!request.quiet) console.print_error(summary_text(summary_of(lines), !request.prices));
  if (request.report)
    if (const Status written = request.report->write(lines); !written) return written.errors();
  if (const Status written = write_priced(request, end->signal == 0, console); !written)
    return written.errors();
  folder.remove();
  if (end->signal != 0) end_as_child_did(end->signal);
  return static_cast<Exit>(end->status);
}

} // namespace

Command cuda_command() {
  return {
      "cuda",
      "EXECUTABLE [arguments]",
      "run a CUDA program without a GPU",
      "EXECUTABLE was linked by nvcc with the shared runtime (nvcc -cudart shared -lineinfo\n"
      "my.cu -o my), or it is a .cu file, which nvcc compiles first where it is installed.\n"
      "Its kernels are executed from their PTX; the program's own input, output and exit status\n"
      "are as ever. What its launches cost on a machine follows on standard error: time,\n"
      "requests, stages, conflicts and races by line of the source. Neither a GPU nor a driver\n"
      "nor CUDA is needed. Options stand before EXECUTABLE; what follows it is the program's.",
      call_with(cuda_options, cuda),
      {"memlane cuda --functions"}};
}

} // namespace memlane::cli
