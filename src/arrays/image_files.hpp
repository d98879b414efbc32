// Converts arrays of two dimensions to and from greyscale pictures.
#pragma once

#include "memlane/arrays/array_files.hpp"

namespace memlane::arrays {

/// An error if the array's dimensions or size are not those of a picture.
Status fits_picture(ArrayFormat format, const std::string& path, const ir::Array& array);

/// Requires an array that fits. Elements are the pixels' values in the file. `limits.check` may
/// stop the reading.
Result<std::vector<ir::Value>> read_picture(ArrayFormat format, const std::string& path,
                                            std::string_view content, const ir::Array& array,
                                            const Limits& limits);

/// Requires an array that fits. Rounds values to the nearest integer, halves away from 0, and
/// clamps them to 0 to 255; NaN becomes 0. `limits.check` may stop the work.
Result<ArrayContent> picture_content(ArrayFormat format, const std::string& path,
                                     const ir::Array& array, const std::vector<ir::Value>& values,
                                     const Limits& limits);

} // namespace memlane::arrays
