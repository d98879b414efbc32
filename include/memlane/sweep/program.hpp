// A program that is ready to be bound to machines and parameters.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/lang/check.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memlane::sweep {

/// What a result says of the program that was run.
struct ProgramInfo {
  std::string path;
  std::string sha256;                                        ///< of its text
  std::vector<std::pair<std::string, std::string>> uses;     ///< path and sha256 of used programs
  std::vector<ir::Constant> parameters;                      ///< with their values
  std::vector<std::pair<std::string, std::string>> replaced; ///< option and text: --fn, --layout …
  std::vector<std::pair<std::string, std::string>> inputs;   ///< array and source of its content
  std::vector<std::pair<std::string, std::string>> input_hashes; ///< array and hash, if known
  std::string races_allowed; ///< the program's reason, or `--allow-races`; empty: races are errors
};

/// A program with its replacements, its names, types and claims checked.
struct CheckedProgram {
  lang::Checked checked;
  ProgramInfo info; ///< without parameters and inputs
};

} // namespace memlane::sweep
