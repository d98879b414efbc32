// Arrays of two dimensions as grey pictures in files.
#pragma once

#include "memlane/arrays/array_files.hpp"

namespace memlane::arrays {

/// An error if the array cannot be such a picture: dimensions, size.
Status fits_picture(ArrayFormat format, const std::string& path, const ir::Array& array);

/// Requires an array that fits. Pixels are read as the numbers they are in the file.
Result<std::vector<ir::Value>> read_picture(ArrayFormat format, const std::string& path,
                                            std::string_view content, const ir::Array& array);

/// Requires an array that fits. Values are rounded to the nearest integer, halves away from 0, and
/// clamped to 0 to 255; what is no number becomes 0.
Result<ArrayContent> picture_content(ArrayFormat format, const std::string& path,
                                     const ir::Array& array, const std::vector<ir::Value>& values);

} // namespace memlane::arrays
