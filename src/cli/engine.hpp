// The options --engine and --jobs: what runs programs, and how many at once.
#pragma once

#include "arguments.hpp"

#include "memlane/count/simulate.hpp"

namespace memlane::cli {

enum class Engine : std::uint8_t { fast, reference };

std::vector<Option> engine_options();
Result<Engine> read_engine(const Arguments& arguments);

/// The option --jobs, and the number that it asks for: one a core if it is not given.
std::vector<Option> jobs_options(std::string_view help = "runs side by side; one a core if not "
                                                         "given. The result is the same");
Result<std::size_t> read_jobs(const Arguments& arguments);

/// The option --verbose, and what it shows of a run: its engine, why, how often the run began
/// again, and which accesses were checked for races word by word.
std::vector<Option> verbose_options();
std::string engine_text(const EngineUse& use, const Sources& sources);
/// The same of one run among several: each line begins with the run's name.
std::string engine_text_of(const std::string& run, const std::string& text);

/// A run without observers; with `timing_only` of what ir::without_data leaves of a program.
RunResult simulate_on(Engine engine, const ir::Program& program, const MachineSpec& machine,
                      const RunOptions& options, const Sources& sources);

} // namespace memlane::cli
