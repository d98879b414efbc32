// Arrays of launches of PTX, from files and as files.
#pragma once

#include "memlane/kernels/device_arrays.hpp"
#include "memlane/support/limits.hpp"

#include <string>

namespace memlane::cli {

/// Fills an array from the file that its text names. Errors: those of the file; elements that its
/// type cannot hold.
Status fill_from_file(Sources& sources, const DeviceArray& array, const Limits& limits);

/// The array as the content of a file, whose format its ending says.
Result<std::string> array_file(const std::string& path, const DeviceArray& array,
                               const Limits& limits);

} // namespace memlane::cli
