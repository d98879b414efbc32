// The option --engine: which engine runs programs.
#pragma once

#include "arguments.hpp"

#include "memlane/engine/simulate.hpp"

namespace memlane::cli {

enum class Engine : std::uint8_t { fast, reference };

std::vector<Option> engine_options();
Result<Engine> read_engine(const Arguments& arguments);

/// A run that nobody watches.
RunResult simulate_on(Engine engine, const ir::Program& program, const MachineSpec& machine,
                      const RunOptions& options, const Sources& sources);

} // namespace memlane::cli
