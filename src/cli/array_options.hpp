// The options --input and --output of run.
#pragma once

#include "arguments.hpp"

#include "memlane/ir/program.hpp"

namespace memlane::cli {

/// An array of --input or --output, and its file.
struct ArrayFile {
  const ir::Array* array = nullptr;
  std::string path;
};

/// The arrays and files of every `--input a=FILE` (`name` is "input") or `--output a=FILE`. Errors:
/// no such memory array, a kind of file that cannot hold it, an array that is given twice.
Result<std::vector<ArrayFile>> array_files(const Arguments& arguments, const ir::Program& code,
                                           const std::string& name);

} // namespace memlane::cli
