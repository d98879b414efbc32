// Arrays in files: numbers as text (.csv, .txt), raw (.bin), NumPy's (.npy), and grey pictures
// (.pgm, .png, .jpg).
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/support/result.hpp"

#include <string>
#include <vector>

namespace memlane::arrays {

enum class ArrayFormat { text, raw, numpy, pgm, png, jpeg };

/// The format that a file's ending stands for, or an error with those there are.
Result<ArrayFormat> array_format(const std::string& path);
/// An error if the file's format cannot hold the array: a picture has two dimensions.
Status fits_file(const std::string& path, const ir::Array& array);

/// What may be read of a file for an array.
struct FileSize {
  std::size_t most = 0; ///< bytes: no file of the array can need more
  std::string help;     ///< for a file that has more
};
/// Errors: a format that cannot hold the array; an array that `limits.memory` has no room for.
Result<FileSize> file_size_of(const std::string& path, const ir::Array& array,
                              const Limits& limits);

/// The array's elements, row-major, from the content of a file whose format can hold it
/// (`fits_file`). Errors: what is not a number, with its place; a value outside the element type;
/// a length, shape or type that is not the array's. `content` is added to `sources` if it is text.
Result<std::vector<ir::Value>> read_array(Sources& sources, const std::string& path,
                                          std::string content, const ir::Array& array);

/// An array as a file's content.
struct ArrayContent {
  std::string bytes;
  std::int64_t clamped = 0; ///< elements of a picture that were outside 0 to 255
};

/// The array as the content of a file named `path`, whose format it fits: text has a row of the
/// last dimension a line, and a one-dimensional array an element a line.
Result<ArrayContent> array_content(const std::string& path, const ir::Array& array,
                                   const std::vector<ir::Value>& values);

} // namespace memlane::arrays
