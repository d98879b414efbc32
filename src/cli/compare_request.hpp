// What `memlane compare` is asked for: its programs, machines and options.
#pragma once

#include "options.hpp"
#include "results.hpp"

#include "memlane/study/compare/comparison.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memlane::cli {

struct CompareRequest {
  std::vector<std::string> programs; ///< words, each with options of its own
  std::vector<std::string> commands; ///< of cuda or ptx, behind the programs
  std::vector<MachineSelection> machines = {{}};
  /// What the runs have in common: definitions and inputs for the programs that have the parameter
  /// or array; prices with all_models.
  Recipe recipe;
  std::vector<std::string> arrays; ///< that are compared; empty: all common ones
  bool verbose = false;
  bool all_models = false;
  sweep::ComparisonRequest comparison;
  std::vector<ResultTarget> targets;
  std::optional<std::string> store; ///< --store
};

void compare_options(Options& options, CompareRequest& request);

/// Loads the programs and gives each the definitions that are for it. Errors: everything wrong with
/// them; a definition that no program has a parameter for.
Result<std::vector<sweep::ComparedProgram>> load_programs(const CompareRequest& request,
                                                          Sources& sources);
Result<std::vector<sweep::ComparedMachine>> load_machines(const CompareRequest& request,
                                                          Sources& sources);

/// Reads the files of --input for every program that can run and has the array; programs whose
/// array has one type and size share what was read. Errors: an array that no program has, and
/// those of `run --input`.
Status read_inputs(const CompareRequest& request, Sources& sources,
                   std::vector<sweep::ComparedRun>& runs);

} // namespace memlane::cli
