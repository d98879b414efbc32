// The options --input and --output of run, and the files they name.
#pragma once

#include "arguments.hpp"

#include "memlane/ir/program.hpp"
#include "memlane/support/limits.hpp"

namespace memlane::cli {

/// An array of --input or --output, and its file.
struct ArrayFile {
  const ir::Array* array = nullptr;
  std::string path;
};

/// The arrays of the program that every `ARRAY=FILE` of an option names. Errors: no such memory
/// array, a kind of file that cannot hold it, an array that is given twice.
Result<std::vector<ArrayFile>> array_files(const std::string& option,
                                           const std::vector<NameAndValue>& given,
                                           const ir::Program& code);

/// What a file holds for an array.
struct FileContent {
  std::vector<ir::Value> values;
  std::string sha256; ///< of the file's bytes
};
/// The array's elements from a file. An array that `limits` has no room for is not read, and no
/// more of a file than the array can need; the limits may end the reading.
Result<FileContent> read_array_file(Sources& sources, const std::string& path,
                                    const ir::Array& array, const Limits& limits = {});

} // namespace memlane::cli
