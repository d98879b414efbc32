// A run that is ready to start: its program, machine, options, and open files.
#pragma once

#include "array_options.hpp"
#include "engine.hpp"
#include "pending_file.hpp"
#include "program.hpp"
#include "results.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace memlane::cli {

/// All that is known and open before the run starts.
struct PreparedRun {
  Sources sources;
  CheckedProgram program;
  LoadedMachine machine;
  ir::Program code;
  RunOptions options;
  std::vector<ArrayFile> inputs;
  std::vector<std::pair<ArrayFile, PendingFile>> outputs;
  std::vector<ResultTarget> targets;
  std::optional<PendingFile> trace;
  Engine engine = Engine::fast;
};

/// Reads the command and all files of a run, and opens those that it will write. Independent
/// mistakes are reported together.
Status prepare(const Arguments& arguments, PreparedRun& run);

} // namespace memlane::cli
