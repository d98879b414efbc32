// memlane gpu measure: the shipped programs on this machine's GPU.
#include "emit_all.hpp"
#include "files.hpp"
#include "gpu.hpp"
#include "program.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

extern char** environ;

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

/// A folder that is removed at the end, unless the user named it.
class WorkFolder {
public:
  explicit WorkFolder(std::optional<std::string> own) : own_(own.has_value()) {
    if (own_) {
      path_ = *own;
      return;
    }
    std::error_code code;
    path_ = (fs::temp_directory_path(code) / "memlane-measure-XXXXXX").string();
    if (!mkdtemp(path_.data())) path_.clear();
  }
  ~WorkFolder() {
    std::error_code code;
    if (!own_ && !path_.empty()) fs::remove_all(path_, code);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const std::string& path() const { return path_; }

private:
  bool own_;
  std::string path_;
};

/// The exit status of a command; 128 + signal if one ended it, -1 if it could not be started.
int run_and_wait(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0)
    return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

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
  bool list = false; ///< shows the points and runs nothing
};

void measure_options(Options& options, MeasureRequest& request) {
  options.words = {"file", 0, 0};
  options.add("output,o", "FILE", &request.output, "where the lines go; measured.jsonl");
  add_machine(options, request.machine, "the HMM that programs are emitted for; hmm-h200");
  options.add("minutes", "M", whole(&request.minutes, 1, 9999), "end within M minutes; 10");
  options.add("only", "WORD", &request.only, "files with the word in their name, e.g. sum");
  options.flag("list", &request.list,
               "only show what would be run: file, program, variant, parameters");
  options.add("keep", "FOLDER", &request.folder, "write the files there and keep them");
}

Result<Exit> gpu_measure(MeasureRequest& request, Sources& sources, Console& console) {
  if (request.list) {
    const Result<std::string> points = measured_points(sources);
    if (!points) return points.errors();
    list_points(*points, request.only, console);
    return Exit::done;
  }
  const WorkFolder folder(request.folder);
  if (folder.path().empty())
    return error_in("", "no folder for temporary files can be made",
                    {"--keep FOLDER takes one of yours"});
  const Status emitted = emit_all(folder.path(), request.machine, sources);
  if (!emitted) return emitted.errors();

  std::vector<std::string> command = {"bash",      folder.path() + "/measure.sh",
                                      "--minutes", std::to_string(request.minutes),
                                      "-o",        request.output};
  if (!request.only.empty()) command.insert(command.end(), {"--only", request.only});
  const int status = run_and_wait(command);
  if (status < 0) return error_in("", "bash, which measures, cannot be started");
  if (status == 128 + SIGINT) return Exit::interrupted;
  return status == 0 ? Exit::done : status == 1 ? Exit::check_failed : Exit::error;
}

} // namespace

Command gpu_measure_command() {
  return {"gpu measure",
          "[-o FILE] [options]",
          "run the shipped programs on this machine's GPU",
          "Write the files of 'emit-cuda --all', build them with nvcc and run each at several\n"
          "sizes: emitted programs, kernels written by hand, CUB's. Where there is no nvcc or no\n"
          "GPU it says so and ends with status 2. The folder of 'emit-cuda --all' can be taken to\n"
          "a machine that has them: its measure.sh needs nothing of memlane.",
          call_with(measure_options, gpu_measure),
          {"memlane gpu measure --only sum --list"}};
}

} // namespace memlane::cli
