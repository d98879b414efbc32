// What `memlane compare` has to do: programs, machines, and every program on every machine.
#pragma once

#include "arguments.hpp"
#include "engine.hpp"
#include "program.hpp"
#include "results.hpp"

#include "memlane/report/comparison.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memlane::cli {

/// A program as the command line names it, and its own options with the -D that are for it.
struct ComparedProgram {
  std::string name;
  CheckedProgram program;
  Arguments arguments;
};

/// One program on one machine: its row, and the code if it can run.
struct ComparisonCell {
  ComparisonRow row;
  const MachineSpec* machine = nullptr;
  std::optional<ir::Program> code;
  Diagnostics errors; ///< why there is none
  /// Of --input; runs whose arrays have one type and size share them.
  std::map<std::string, std::shared_ptr<const std::vector<ir::Value>>> inputs;
};

struct ComparisonWork {
  Sources sources;
  std::vector<ComparedProgram> entries;
  std::vector<std::pair<std::string, LoadedMachine>> machines;
  std::vector<ComparisonCell> cells;
  RunOptions options;
  Engine engine = Engine::fast;
  std::size_t jobs = 1;
  double tolerance = 0;
  bool verbose = false; ///< which engine served each run is shown
  std::vector<ResultTarget> targets;
  Comparison comparison;
};

/// Reads the command line, the programs and the machines. Errors: everything wrong with them.
Status prepare(const Arguments& arguments, ComparisonWork& work);

/// Makes every program ready for every machine, as far as the machine can run it.
void make_cells(ComparisonWork& work);

/// Chooses the arrays that are compared: those of `--arrays`, or those that all have in common.
Status choose_arrays(const Arguments& arguments, ComparisonWork& work);

} // namespace memlane::cli
