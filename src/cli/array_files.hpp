// Arrays in files: numbers as text (.csv, .txt), raw (.bin) and NumPy's (.npy).
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/support/result.hpp"

#include <string>
#include <vector>

namespace memlane::cli {

enum class ArrayFormat { text, raw, numpy };

/// The format that a file's ending stands for, or an error with those there are.
Result<ArrayFormat> array_format(const std::string& path);

/// The array's elements from a file, row-major. Errors: what is not a number, with its place; a
/// value outside the element type; a length, shape or type that is not the array's.
Result<std::vector<ir::Value>> read_array(Sources& sources, const std::string& path,
                                          const ir::Array& array);

/// The array as the content of a file named `path`: text has a row of the last dimension a line,
/// and a one-dimensional array an element a line.
std::string array_content(const std::string& path, const ir::Array& array,
                          const std::vector<ir::Value>& values);

} // namespace memlane::cli
