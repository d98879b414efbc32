// memlane cuda: a CUDA program on memlane instead of a GPU.
#include "command.hpp"
#include "cuda_child.hpp"
#include "cuda_program.hpp"
#include "cuda_report.hpp"
#include "files.hpp"
#include "pending_file.hpp"

#include "memlane/ptx/fault.hpp"

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

/// A folder that is removed with all its files when the command ends.
class CudaFolder {
public:
  CudaFolder() {
    std::error_code code;
    path_ = (fs::temp_directory_path(code) / "memlane-cuda-XXXXXX").string();
    if (code || !mkdtemp(path_.data())) path_.clear();
  }
  ~CudaFolder() { remove(); }
  CudaFolder(const CudaFolder&) = delete;
  CudaFolder& operator=(const CudaFolder&) = delete;

  const std::string& path() const { return path_; }
  void remove() {
    std::error_code code;
    if (!path_.empty()) fs::remove_all(path_, code);
    path_.clear();
  }

private:
  std::string path_;
};

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
  std::vector<std::string> nvcc;
  std::optional<PendingFile> report;
  std::string allowed; ///< names of faults, with commas between them
  bool quiet = false, functions = false;
};

std::string allow_option(ptx::FaultKind kind) { return fmt::format("allow-{}", name_of(kind)); }

/// Kinds after which a launch can go on.
std::vector<ptx::FaultKind> allowable_faults() {
  std::vector<ptx::FaultKind> kinds;
  for (std::size_t k = 0; k < static_cast<std::size_t>(ptx::FaultKind::count); ++k)
    if (const auto kind = static_cast<ptx::FaultKind>(k); may_be_allowed(kind))
      kinds.push_back(kind);
  return kinds;
}

CudaRequest read_cuda_request(OptionReader& options) {
  CudaRequest request;
  request.words = options.words;
  request.nvcc = options.values("nvcc");
  request.quiet = options.has("quiet");
  request.functions = options.has("functions");
  for (const ptx::FaultKind kind : allowable_faults())
    if (options.has(allow_option(kind)))
      request.allowed += (request.allowed.empty() ? "" : ",") + std::string(name_of(kind));
  if (const auto path = options.value("report"))
    if (Result<PendingFile> file = PendingFile::open(*path); options.check(file))
      request.report = std::move(*file);
  if (request.words.empty() && !request.functions)
    options.add(error_in("", "cuda needs a program",
                         {"usage: memlane cuda [options] EXECUTABLE [arguments]"}));
  return request;
}

Result<Exit> list_functions(Console& console, const Limits& limits) {
  const auto names = cudart_functions(13, limits);
  if (!names) return names.errors();
  for (const std::string& name : *names) console.out(name + '\n');
  return Exit::done;
}

/// Runs a program that has been checked; afterwards its report is in `lines`.
Result<ChildEnd> run_with_library(const CudaRequest& request, const CudaFolder& folder,
                                  std::string& lines) {
  const std::string report = folder.path() + "/report.jsonl";
  std::ofstream{report}; // the library appends to a file that is there
  std::string libraries = cudart_folder();
  if (const char* before = std::getenv("LD_LIBRARY_PATH"); before && *before != '\0')
    libraries += fmt::format(":{}", before);
  const ChildEnd end = run_child(request.words, {{"LD_LIBRARY_PATH", libraries},
                                                 {"MEMLANE_CUDA_REPORT", report},
                                                 {"MEMLANE_CUDA_ALLOW", request.allowed}});
  if (end.start_error != 0)
    return error_in(request.words.front(),
                    fmt::format("it cannot be started: {}", std::strerror(end.start_error)));
  const Result<std::string> read = read_file(report, most_report_bytes);
  if (!read) return read.errors();
  lines = *read;
  return end;
}

Result<Exit> cuda(OptionReader& options, Sources& sources, Console& console) {
  CudaRequest request = read_cuda_request(options);
  if (!options.ok()) return options.errors();
  if (request.functions) return list_functions(console, sources.limits());
  CudaFolder folder;
  if (folder.path().empty())
    return error_in("", "no folder for temporary files can be made",
                    {"TMPDIR names another place"});
  const std::string& word = request.words.front();
  const bool is_source = fs::path(word).extension() == ".cu";
  const Result<std::string> program =
      is_source ? compiled(word, request.nvcc, folder.path()) : program_path(word);
  if (!program) return program.errors();
  if (const Status usable = check_cuda_program(*program, sources); !usable) return usable.errors();
  request.words.front() = *program;
  std::string lines;
  const Result<ChildEnd> end = run_with_library(request, folder, lines);
  if (!end) return end.errors();
  if (!request.quiet) console.print_error(summary_text(summary_of(lines)));
  if (request.report)
    if (const Status written = request.report->write(lines); !written) return written.errors();
  folder.remove();
  if (end->signal != 0) end_as_child_did(end->signal);
  return static_cast<Exit>(end->status);
}

} // namespace

Command cuda_command() {
  Command command;
  command.name = "cuda";
  command.usage = "EXECUTABLE [arguments]";
  command.summary = "run a CUDA program without a GPU";
  command.description =
      "EXECUTABLE was linked by nvcc with the shared runtime (nvcc -cudart shared -lineinfo\n"
      "my.cu -o my), or it is a .cu file, which nvcc compiles first where it is installed.\n"
      "Its kernels are executed from their PTX; the program's own input, output and exit status\n"
      "are as ever. A summary follows on standard error: kernels, launches, what went wrong at\n"
      "which line. Neither a GPU nor a driver nor CUDA is needed. Options stand before\n"
      "EXECUTABLE; what follows it is the program's.";
  command.options = {
      {"report", 0, "FILE", false, "write a line of JSON for each launch"},
      {"quiet", 'q', "", false, "no summary"},
      {"nvcc", 0, "WORD", true, "a word more for nvcc, e.g. --nvcc=-O1 (of a .cu file)"},
      {"functions", 0, "", false, "list the functions of CUDA's runtime that programs may call"}};
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const ptx::FaultKind kind : allowable_faults()) all.push_back(allow_option(kind));
    return all;
  }();
  for (const std::string& name : names)
    command.options.push_back({name, 0, "", false, "count such faults of kernels and go on"});
  command.examples = {"memlane cuda --functions"};
  command.run = cuda;
  command.passes_on = true;
  return command;
}

} // namespace memlane::cli
