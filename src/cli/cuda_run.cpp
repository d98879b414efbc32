#include "cuda_run.hpp"

#include "cuda_program.hpp"
#include "files.hpp"
#include "interrupt.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace memlane::cli {

namespace {

namespace fs = std::filesystem;

/// The file that the library appends to. It stays open, since the program may put another one in
/// its place.
class ReportFile {
public:
  explicit ReportFile(const std::string& path)
      : file_(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {}
  ~ReportFile() {
    if (file_ >= 0) close(file_);
  }
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;

  /// Its first bytes, at most so many, before the first 0.
  std::string text(std::size_t most) const {
    std::string all;
    constexpr std::size_t part = std::size_t{1} << 20;
    while (file_ >= 0 && all.size() < most) {
      const std::size_t before = all.size();
      all.resize(before + std::min(part, most - before));
      const ssize_t got =
          pread(file_, all.data() + before, all.size() - before, static_cast<off_t>(before));
      all.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      if (got <= 0) break;
      if (const std::size_t zero = all.find('\0', before); zero != all.npos) {
        all.resize(zero);
        break;
      }
    }
    return all;
  }

private:
  int file_;
};

/// A list of paths in front of what an environment variable has.
std::string in_front(const std::string& path, const char* variable) {
  const char* const before = std::getenv(variable);
  return before && *before != '\0' ? fmt::format("{}:{}", path, before) : path;
}

/// A program that Ctrl-C ends is one that it has ended, whatever the program made of that.
ChildEnd run_until_interrupted(const std::vector<std::string>& words, const std::string& output,
                               const Variables& variables) {
  const InterruptGuard guard;
  const std::function<Stop()> stop = stop_check(0);
  const auto interrupted = [&] { return stop() == Stop::interrupted; };
  ChildEnd end = run_quiet_child(words, output, interrupted, variables);
  if (interrupted()) end.signal = SIGINT;
  return end;
}

/// Runs the program with these variables; `reports`: the variable with the path of the report.
Result<ReportedRun> run_reported(const std::vector<std::string>& words, const std::string& folder,
                                 const char* reports, Variables variables, RunOutput output) {
  const std::string report = folder + "/report.jsonl";
  std::error_code code;
  fs::remove(report, code);
  const ReportFile file(report);
  variables.emplace_back(reports, report);
  ReportedRun run;
  if (output == RunOutput::quiet) run.output = folder + "/output";
  run.end = output == RunOutput::own ? run_child(words, variables)
                                     : run_until_interrupted(words, run.output, variables);
  if (run.end.start_error != 0)
    return error_in(words.front(),
                    fmt::format("it cannot be started: {}", std::strerror(run.end.start_error)));
  run.lines = file.text(most_report_bytes);
  return run;
}

} // namespace

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

Result<ReportedRun> run_with_runtime(const std::vector<std::string>& words, const PriceOrder& order,
                                     const std::string& allowed, RunOutput output) {
  const std::string path = order.folder + "/order.json";
  std::ofstream(path) << text_of(order);
  return run_reported(words, order.folder, "MEMLANE_CUDA_REPORT",
                      {{"LD_LIBRARY_PATH", in_front(cudart_folder(), "LD_LIBRARY_PATH")},
                       {"MEMLANE_CUDA_ALLOW", allowed},
                       {"MEMLANE_CUDA_ORDER", path}},
                      output);
}

/// The library gets a path without spaces and colons, at which the loader would cut it. A module
/// that is loaded when its kernel is launched first would be a part of that launch's time.
Result<ReportedRun> run_measured(const std::vector<std::string>& words, const std::string& folder,
                                 RunOutput output) {
  const fs::path library = fs::path(cudart_folder()) / "libmemlane_measure.so";
  if (const Status there = is_there(library.string()); !there) return there.errors();
  const std::string linked = folder + "/measure.so";
  std::error_code code;
  fs::create_symlink(library, linked, code);
  return run_reported(
      words, folder, "MEMLANE_CUDA_MEASURE",
      {{"LD_PRELOAD", in_front(linked, "LD_PRELOAD")}, {"CUDA_MODULE_LOADING", "EAGER"}}, output);
}

std::int64_t
each_report_line(const std::string& lines,
                 const std::function<void(const nlohmann::json&, const std::string&)>& use) {
  std::int64_t unreadable = 0;
  std::stringstream in(lines);
  for (std::string text; std::getline(in, text);) {
    // A program can write to the report, too: what is nested deeper than the library's lines is
    // left out.
    constexpr int most_depth = 8;
    const nlohmann::json line = nlohmann::json::parse(
        text, [](int depth, auto, auto&) { return depth < most_depth; }, false);
    if (line.is_object())
      use(line, text);
    else
      ++unreadable;
  }
  return unreadable;
}

std::int64_t integer_in(const nlohmann::json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number_integer()) return 0;
  // A program can write to the report, too: sums of such numbers stay numbers.
  return std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, std::int64_t{1} << 40);
}

std::string text_in(const nlohmann::json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : "";
}

} // namespace memlane::cli
