#include "engine.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace memlane::cli {

std::vector<Option> engine_options() {
  return {{"engine", 0, "NAME", false,
           "fast, reference or auto; both give the same numbers. fast if\n"
           "not given; the reference engine runs what it does not do:\n"
           "--trace, --allow-races, runs that end in an error"}};
}

Result<Engine> read_engine(const Arguments& arguments) {
  const std::string name = arguments.value("engine").value_or("auto");
  if (name == "auto" || name == "fast") return Engine::fast;
  if (name == "reference") return Engine::reference;
  std::vector<std::string> help = did_you_mean(name, {"auto", "fast", "reference"});
  help.emplace_back("the engines are fast, reference and auto");
  return error_in("--engine", fmt::format("unknown engine '{}'", name), std::move(help));
}

std::vector<Option> jobs_options(std::string_view help) {
  return {{"jobs", 'j', "N", false, help}};
}

Result<std::size_t> read_jobs(const Arguments& arguments) {
  constexpr std::int64_t most = 1024;
  const std::int64_t cores = std::thread::hardware_concurrency(); // 0: unknown
  const Result<std::int64_t> jobs =
      integer_option(arguments, "jobs", 1, most, std::clamp<std::int64_t>(cores, 1, most));
  if (!jobs) return jobs.errors();
  return static_cast<std::size_t>(*jobs);
}

std::vector<Option> verbose_options() {
  return {{"verbose", 0, "", false,
           "shows which engine ran the program and why, how often the run\n"
           "began again, and which accesses it checked for races word by word"}};
}

std::string engine_text(const EngineUse& use, const Sources& sources) {
  const auto place = [&](Span span) {
    if (!span.known()) return std::string();
    return fmt::format(" ({}:{})", sources.path(span.file), sources.begin(span).line);
  };
  std::string text = fmt::format("engine: {}", use.fast ? "fast" : "reference");
  if (!use.reason.empty()) text += fmt::format(", since {}{}", use.reason, place(use.reason_at));
  text += fmt::format("; {} restart{}\n", use.restarts, use.restarts == 1 ? "" : "s");
  for (const EngineUse::ByWord& accesses : use.by_word)
    text += fmt::format("engine: races on {} in kernel {} are checked word by word{}\n",
                        accesses.array, accesses.kernel, place(accesses.at));
  return text;
}

std::string engine_text_of(const std::string& run, const std::string& text) {
  std::string lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    lines += run + ": " + text.substr(begin, end - begin);
    begin = end;
  }
  return lines;
}

RunResult simulate_on(Engine engine, const ir::Program& program, const MachineSpec& machine,
                      const RunOptions& options, const Sources& sources) {
  if (options.timing_only) return simulate_timing(program, machine, options, sources);
  if (engine == Engine::fast) return simulate_fast(program, machine, options, sources);
  Observer no_observer;
  RunResult result = simulate(program, machine, options, sources, no_observer);
  result.engine.reason = "--engine reference asks for it";
  return result;
}

} // namespace memlane::cli
