#include "kernel_command.hpp"

#include "child.hpp"
#include "command.hpp"
#include "cuda_report.hpp"
#include "cuda_run.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "shipped_files.hpp"

#include "memlane/kernels/launch_text.hpp"
#include "memlane/points/recipe.hpp"
#include "memlane/study/results/command_output.hpp"
#include "memlane/support/sha256.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>

namespace memlane::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_command_file = std::size_t{4} << 30,
                      most_command_result = std::size_t{1} << 28;

/// Options that a plan gives to each run, or that leave it without a result.
constexpr std::array<std::string_view, 15> options_of_plans = {
    "machine",   "set",      "seed",       "format",      "out",
    "max-steps", "max-time", "max-memory", "max-seconds", "engine",
    "no-price",  "report",   "functions",  "help",        "try"};

/// A path relative to the folder of a sweep file; names without a slash are looked up.
std::string path_in_folder(const std::string& word, const std::string& folder) {
  const fs::path path(word);
  const bool is_name = word.find('/') == std::string::npos && path.extension() != ".ptx" &&
                       path.extension() != ".cu";
  if (folder.empty() || path.is_absolute() || is_name) return word;
  std::string joined = (fs::path(folder) / path).lexically_normal().generic_string();
  return joined.find('/') == std::string::npos ? "./" + joined : joined;
}

/// What the run may take, as the command's own options.
std::vector<std::string> limit_words(const sweep::Point& point, double seconds) {
  const Limits& limits = point.options.limits;
  std::vector<std::string> words;
  const auto add = [&](const char* option, std::int64_t value, std::int64_t standard) {
    if (value != standard && value != INT64_MAX)
      words.insert(words.end(), {option, std::to_string(value)});
  };
  add("--max-steps", limits.steps, INT64_MAX);
  add("--max-time", limits.time, INT64_MAX);
  add("--max-memory", limits.memory, sweep::standard_memory);
  if (seconds > 0) words.insert(words.end(), {"--max-seconds", fmt::format("{}", seconds)});
  if (point.engine == sweep::Engine::reference && point.command.front() == "ptx")
    words.insert(words.end(), {"--engine", "reference"});
  return words;
}

/// The race that ended the run where races are errors; empty: none did.
std::string ending_race(const std::string& json) {
  try {
    const nlohmann::json result = nlohmann::json::parse(json);
    if (result.at("stop") == "error") return result.at("race_pairs").at(0).at("first");
  } catch (const nlohmann::json::exception&) { // it ended for another reason
  }
  return "";
}

/// Why the machine has refused a launch, whose time is missing then; empty: it refused none.
std::string refused_launch(const std::string& json) {
  try {
    const nlohmann::json result = nlohmann::json::parse(json);
    return result.at("refused_launches").at(0).at("reason");
  } catch (const nlohmann::json::exception&) { // all were launched
    return "";
  }
}

/// The first error of what a command said, without its help; empty: it names none.
std::string_view first_error(std::string_view said) {
  constexpr std::string_view word = "error: ";
  const std::size_t error = said.find(word);
  if (error == std::string_view::npos) return {};
  const std::size_t before = said.rfind('\n', error);
  said.remove_prefix(before == std::string_view::npos ? 0 : before + 1);
  said = said.substr(0, said.find('\n'));
  if (said.starts_with(word)) said.remove_prefix(word.size());
  return said;
}

/// Why a run left no result: its first error, else the signal that ended it, else all that it said.
std::string reason_of(const ChildEnd& child, const std::string& said) {
  constexpr std::size_t widest = 300;
  const std::string error = on_one_line(std::string(first_error(said)), widest);
  if (child.signal != 0) // what it said besides are the launches before
    return fmt::format("signal {} ends it{}{}", child.signal, error.empty() ? "" : ": ", error);
  if (!error.empty()) return error;
  return said.empty() ? "it gives no result" : on_one_line(said, widest);
}

/// The fault that ended a launch, from the report of a CUDA program; empty: none did.
std::string ending_fault(const std::string& report) {
  const Result<std::string> lines = read_file(report, most_command_result);
  const std::string fault = lines ? summary_of(*lines).fatal : "";
  return fault.empty() ? "" : fmt::format("a fault ends a launch: {}; ", fault);
}

/// How a run ended that left a result. `report`: of a CUDA program, empty: it is none.
void take_output(const ChildEnd& child, const std::string& report, sweep::PointResult& result) {
  sweep::CommandOutput& output = *result.output;
  result.run.stop = stop_of_output(output);
  if (result.run.stop != Stop::none) {
    output.message = sweep::stop_text(result.run.stop);
    return;
  }
  if (report.empty()) return;
  output.message = refused_launch(output.json);
  const bool ended_badly = child.status != 0 || child.signal != 0;
  if (ended_badly) {
    const std::string fault = ending_fault(report);
    if (fault.empty() && output.message.empty()) output.message = ending_race(output.json);
    if (!fault.empty() || output.message.empty())
      output.message = fault + (child.signal != 0
                                    ? fmt::format("signal {} ends the program", child.signal)
                                    : fmt::format("the program ends with status {}", child.status));
  }
  if (!output.message.empty()) result.run.verify = Verdict::failed;
}

sweep::PointResult run_one(const sweep::Point& point, const sweep::PointLimits& limits) {
  sweep::PointResult result;
  const TemporaryFolder folder("run");
  const std::string csv = folder.path() + "/result.csv", json = folder.path() + "/result.jsonl",
                    said = folder.path() + "/said",
                    report = point.command.front() == "cuda" ? folder.path() + "/report" : "";
  std::vector<std::string> words = {"/proc/self/exe", point.command.front()};
  words.insert(words.end(), {"--format", "csv", "-o", csv, "--format", "jsonl", "-o", json});
  if (!report.empty()) words.insert(words.end(), {"--report", report});
  const std::vector<std::string> limited = limit_words(point, limits.seconds);
  words.insert(words.end(), limited.begin(), limited.end());
  words.insert(words.end(), point.command.begin() + 1, point.command.end());
  const auto asked = [&] { return limits.run.check ? limits.run.check() : Stop::none; };
  // It ends by itself at its own limit of seconds, unless the program computes without memlane.
  constexpr double grace = 2;
  double late = 0;
  bool killed = false;
  const ChildEnd child = run_quiet_child(words, said, [&] {
    const Stop own = point.options.limits.check ? point.options.limits.check() : Stop::none;
    if (own == Stop::wall_clock && late == 0) late = seconds_now() + grace;
    killed = asked() == Stop::interrupted || own == Stop::interrupted ||
             (late > 0 && seconds_now() > late);
    return killed;
  });
  if (asked() == Stop::interrupted && (killed || child.status != 0 || child.signal != 0)) {
    result.run.stop = Stop::interrupted;
    return result;
  }
  result.started = true;
  if (killed) {
    result.run.stop = Stop::wall_clock;
    result.run.reached = "its process was ended";
    return result;
  }
  Result<std::string> table = read_file(csv, most_command_result),
                      line = read_file(json, most_command_result);
  if (table && line && child.start_error == 0) {
    result.output = {std::move(*table), std::move(*line), ""};
    take_output(child, report, result);
    return result;
  }
  const Result<std::string> text = read_file(said, most_command_result);
  for (const Stop stop : {Stop::steps, Stop::time, Stop::memory, Stop::wall_clock})
    if (child.status == static_cast<int>(Exit::limit) && point.command.front() == "ptx" && text &&
        text->find(sweep::stop_text(stop)) != std::string::npos) {
      result.run.stop = stop;
      result.run.reached = "nothing yet";
      return result;
    }
  result.run.stop = Stop::error;
  result.run.errors = {error_in("", reason_of(child, text ? *text : ""))};
  return result;
}

} // namespace

Result<sweep::KernelCommand> load_kernel_command(const sweep::SweptProgram& swept,
                                                 const Limits& limits) {
  Result<std::vector<std::string>> words = sweep::words_of_command(swept.command);
  if (!words) return words.errors();
  sweep::KernelCommand command{std::move(*words), 1, "", ""};
  const std::vector<std::string> rest(command.words.begin() + 1, command.words.end());
  const Result<Arguments> given = find_command(command.name())->options().parse(rest);
  if (!given) return given.errors();
  for (const auto& [name, value] : given->given_options)
    if (std::find(options_of_plans.begin(), options_of_plans.end(), name) != options_of_plans.end())
      return error_in("--command", fmt::format("--{} is no option of a single run here", name),
                      {"leave it out: machines, their keys, seeds and limits are options beside "
                       "--command, and results are kept in the store"});
  if (given->words.empty() || given->words.front().empty())
    return error_in("--command", fmt::format("a file follows '{}'", command.name()),
                    {"the machine and its keys are those of the sweep: -m, --set"});
  if (command.name() == "ptx" && (given->words.size() > 1 || !given->has("launch")))
    return error_in("--command", "'ptx' needs one file and a launch",
                    {"ptx FILE.ptx --launch 'KERNEL<<<BLOCKS, THREADS>>>(ARGUMENT, …)'"});
  const bool passes_on = command.name() == "cuda";
  command.file =
      passes_on ? command.words.size() - given->words.size()
                : static_cast<std::size_t>(std::find(command.words.begin() + 1, command.words.end(),
                                                     given->words.front()) -
                                           command.words.begin());
  std::string& file = command.words[command.file];
  if (const auto names = sweep::names_in_words({file}); !names.empty())
    return error_in("--command",
                    fmt::format("the file '{}' depends on {{{}}}", file, *names.begin()),
                    {"give each file a --command of its own"});
  file = path_in_folder(file, swept.folder);
  const Result<std::string> path = passes_on ? program_path(file) : ptx_path(file);
  if (!path) return path.errors();
  command.path = fs::path(*path).lexically_normal().generic_string();
  const Result<std::string> content = read_file(command.path, most_command_file, {}, limits);
  if (!content) return content.errors();
  command.sha256 = sha256(*content);
  return command;
}

Status check_times_all(const std::string& text) {
  const Result<std::vector<std::string>> words = sweep::words_of_command(text);
  if (!words) return words.errors();
  for (const std::string& word : *words)
    if (word.starts_with("--sample-blocks"))
      return error_in("--command",
                      "--sample-blocks is no option here: such a run has the time of the sampled "
                      "blocks alone",
                      {"leave it out; 'memlane sweep' keeps the estimate of such a run in a store, "
                       "as estimated_time"});
  return Done{};
}

Status check_launches(const std::vector<std::string>& words) {
  if (words.front() != "ptx") return Done{};
  const Result<Arguments> given = ptx_command().options().parse({words.begin() + 1, words.end()});
  if (!given) return given.errors();
  ErrorCollector errors;
  for (const auto& [name, launch] : given->given_options) {
    if (name != "launch") continue;
    Sources texts;
    const auto read = read_launch(texts, texts.add("", launch));
    if (!read)
      for (const Diagnostic& error : read.errors())
        errors.add(error_in("",
                            fmt::format("--launch '{}', column {}: {}", launch,
                                        texts.begin(error.span).column, error.message),
                            error.help));
  }
  return errors.status();
}

sweep::RunCommand run_kernel_commands(const sweep::PointLimits& limits) {
  return [limits](const sweep::Point& point) { return run_one(point, limits); };
}

} // namespace memlane::cli
