// What `memlane compare` is asked for: its programs, machines and options.
#pragma once

#include "options.hpp"
#include "results.hpp"

#include "memlane/sweep/comparison.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memlane::cli {

struct CompareRequest {
  std::vector<std::string> programs; ///< words, each with options of its own
  std::vector<MachineSelection> machines;
  std::vector<std::string> definitions; ///< -D for the programs that have the parameter
  std::vector<NameAndValue> inputs;     ///< arrays and files
  std::vector<std::string> arrays;      ///< that are compared; empty: all common ones
  bool allow_races = false;
  bool verbose = false;
  bool machines_chosen = false; ///< -m was given
  bool all_models = false;
  std::vector<PriceRequest> prices; ///< with all_models
  sweep::Point common;              ///< options and engine of all runs
  sweep::ComparisonRequest comparison;
  std::vector<ResultTarget> targets;
  std::optional<std::string> store; ///< --store
};

std::vector<Option> compare_options();
/// Errors stay in `options`.
CompareRequest read_compare_request(OptionReader& options);

/// Loads the programs and gives each the definitions that are for it. Errors: everything wrong with
/// them; a definition that no program has a parameter for.
Result<std::vector<sweep::ComparedProgram>> load_programs(const CompareRequest& request,
                                                          Sources& sources);
Result<std::vector<sweep::NamedMachine>> load_machines(const CompareRequest& request,
                                                       Sources& sources);
/// The command that repeats the run of a row.
std::string command_of(const CompareRequest& request, const sweep::ComparisonRow& row,
                       const sweep::Point& point);

/// Reads the files of --input for every program that can run and has the array; programs whose
/// array has one type and size share what was read. Errors: an array that no program has, and
/// those of `run --input`.
Status read_inputs(const CompareRequest& request, Sources& sources,
                   std::vector<sweep::ComparedRun>& runs);

} // namespace memlane::cli
