// Arrays in files: text (.csv, .txt), raw bytes (.bin), NumPy (.npy), and greyscale pictures (.pgm,
// .png, .jpg).
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/support/result.hpp"

#include <string>
#include <vector>

namespace memlane::arrays {

enum class ArrayFormat { text, raw, numpy, pgm, png, jpeg };

/// By the file's ending; an error lists the known ones.
Result<ArrayFormat> array_format(const std::string& path);
/// An error if the file's format cannot hold the array.
Status fits_file(const std::string& path, const ir::Array& array);

/// Bound of a file's size for an array.
struct FileSizeLimit {
  std::size_t max_bytes = 0;
  std::string help; ///< what the error about a larger file advises
};
/// Errors: a format that cannot hold the array; an array larger than `limits.memory`.
Result<FileSizeLimit> file_size_limit(const std::string& path, const ir::Array& array,
                                      const Limits& limits);

/// The array's elements, row-major. Requires a file whose format can hold the array (`fits_file`).
/// Errors: text that is not a number, with its place; a value outside the range of the element
/// type; another length, shape or type. Adds `content` to `sources` if it is text.
Result<std::vector<ir::Value>> read_array(Sources& sources, const std::string& path,
                                          std::string content, const ir::Array& array);

struct ArrayContent {
  std::string bytes;
  std::int64_t clamped = 0; ///< elements of a picture outside 0 to 255
};

/// The content of file `path`, whose format can hold the array. Text has a line for each row of the
/// last dimension, or for each element of a one-dimensional array. `limits.check` may stop the
/// work.
Result<ArrayContent> array_content(const std::string& path, const ir::Array& array,
                                   const std::vector<ir::Value>& values, const Limits& limits);

} // namespace memlane::arrays
