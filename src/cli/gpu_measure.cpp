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

void list_points(const std::string& only, Console& console) {
  const std::string points = measured_points();
  for (std::size_t at = 0; at < points.size();) {
    const std::size_t end = points.find('\n', at) + 1;
    const std::string line = points.substr(at, end - at);
    if (line.substr(0, line.find(' ')).find(only) != std::string::npos) console.out(line);
    at = end;
  }
}

struct MeasureRequest {
  std::int64_t minutes = 10;
  std::string only, output;
  std::optional<std::string> folder; ///< that the files stay in
  MachineSelection machine;
  bool list = false; ///< shows the points and runs nothing
};

MeasureRequest read_measure_request(OptionReader& options) {
  if (!options.words.empty())
    options.add(error_in("", "gpu measure takes no file",
                         {"usage: memlane gpu measure [-o FILE] [options]"}));
  return {options.integer("minutes", 1, 9999, 10),
          options.text("only"),
          options.text("output", "measured.jsonl"),
          options.value("keep"),
          {options.text("machine", measured_machine), options.values("set"), true},
          options.has("list")};
}

Result<Exit> gpu_measure(OptionReader& options, Sources& sources, Console& console) {
  const MeasureRequest request = read_measure_request(options);
  if (!options.ok()) return options.errors();
  if (request.list) {
    list_points(request.only, console);
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
  return {
      "gpu measure",
      "[-o FILE] [options]",
      "run the shipped programs on this machine's GPU",
      "Write the files of 'emit-cuda --all', build them with nvcc and run each at several\n"
      "sizes: emitted programs, kernels written by hand, CUB's. Where there is no nvcc or no\n"
      "GPU it says so and ends with status 2. The folder of 'emit-cuda --all' can be taken to\n"
      "a machine that has them: its measure.sh needs nothing of memlane.",
      {{"output", 'o', "FILE", false, "where the lines go; measured.jsonl"},
       {"machine", 'm', "MACHINE", false, "the HMM that programs are emitted for; hmm-h200"},
       {"set", 0, "KEY=VALUE", true, "set a value of the machine, e.g. multiprocessors=108"},
       {"minutes", 0, "M", false, "end within M minutes; 10"},
       {"only", 0, "WORD", false, "files with the word in their name, e.g. sum"},
       {"list", 0, "", false, "only show what would be run: file, program, variant, parameters"},
       {"keep", 0, "FOLDER", false, "write the files there and keep them"}},
      {"memlane gpu measure --only sum --list"},
      gpu_measure};
}

} // namespace memlane::cli
