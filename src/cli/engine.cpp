#include "engine.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace memlane::cli {

std::vector<Option> engine_options() {
  return {{"engine", 0, "NAME", false,
           "fast, reference or auto; both give the same numbers. fast if\n"
           "not given; what it does not do (--trace, --allow-races, runs\n"
           "that end in an error) is the reference engine's all the same"}};
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

RunResult simulate_on(Engine engine, const ir::Program& program, const MachineSpec& machine,
                      const RunOptions& options, const Sources& sources) {
  if (options.timing_only) return simulate_timing(program, machine, options, sources);
  if (engine == Engine::fast) return simulate_fast(program, machine, options, sources);
  Observer nobody;
  return simulate(program, machine, options, sources, nobody);
}

} // namespace memlane::cli
