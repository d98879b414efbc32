// The header of NumPy's .npy files (format 1.0 to 3.0).
#pragma once

#include "memlane/ir/program.hpp"
#include "memlane/support/result.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::arrays {

struct NumpyHeader {
  std::string type; ///< NumPy's name: `<i4`
  bool column_major = false;
  std::vector<std::int64_t> shape;
  std::size_t size = 0; ///< bytes before the elements
};

/// Errors do not have the file's name.
Result<NumpyHeader> read_numpy_header(std::string_view content);
/// The header of a row-major array, format 1.0.
std::string numpy_header(const ir::Array& array);
/// NumPy's name of an element type: `<i4`.
std::string_view numpy_type(ir::Scalar type);
/// `(4, 8)`.
std::string shape_text(const std::vector<std::int64_t>& shape);

} // namespace memlane::arrays
