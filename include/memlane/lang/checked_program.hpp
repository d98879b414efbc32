// A program that is ready to be bound to machines and parameters.
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/lang/check.hpp"

#include <string>
#include <utility>
#include <vector>

namespace memlane {

/// What a result says of the program that was run.
struct ProgramInfo {
  std::string path;
  std::string sha256;                                        ///< the hash of its text
  std::vector<std::pair<std::string, std::string>> uses;     ///< path and sha256 of used programs
  std::vector<ir::Constant> parameters;                      ///< their names and values
  std::vector<std::pair<std::string, std::string>> replaced; ///< option and text: --fn, --layout …
  std::vector<std::pair<std::string, std::string>> inputs;   ///< array and source of its content
  std::vector<std::pair<std::string, std::string>> input_hashes; ///< array and hash, if known
  /// What the program's text allows and why, or `--allow-races`; empty: races are errors.
  std::string races_allowed;
  bool all_races_allowed = false;

  /// Unless the program allows them all itself.
  void allow_all_races(const std::string& why) {
    if (!all_races_allowed) races_allowed = why;
    all_races_allowed = true;
  }
};

/// A program with its replacements, its names, types and claims checked.
struct CheckedProgram {
  lang::Checked checked;
  ProgramInfo info; ///< it lacks parameters and inputs
};

} // namespace memlane
