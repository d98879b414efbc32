// The programs that come with memlane: files of `programs` and of its folders, found by name.
#pragma once

#include "memlane/support/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memlane::cli {

struct ShippedProgram {
  std::string name;   ///< of the file, without its ending: `sum`
  std::string folder; ///< in `programs`: `reduction`; empty for `programs` itself
  std::string path;   ///< as messages name the file
};

/// All of them, by folder and name, without exercises and programs of lessons. A program of
/// `programs` itself comes first.
std::vector<ShippedProgram> shipped_programs();
/// Their names, sorted, each once.
std::vector<std::string> shipped_program_names();
/// Names of those that make inputs (--input), sorted.
std::vector<std::string> input_program_names();
/// The path of the program with this name, of a lesson or for inputs too; empty if there is none.
/// An error if two folders have one: a name alone would then mean either.
Result<std::string> find_shipped_program(std::string_view name);

} // namespace memlane::cli
