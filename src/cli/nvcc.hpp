// The compiler of CUDA, where it is installed.
#pragma once

#include "memlane/support/result.hpp"

#include <string>
#include <vector>

namespace memlane::cli {

/// Compiles a source to `output`. nvcc's messages go to standard error. `elsewhere`: how to do it
/// where nvcc is. Errors: there is no such file, or no nvcc, or it does not compile.
Status run_nvcc(const std::string& source, const std::vector<std::string>& options,
                const std::string& output, const std::string& elsewhere);

} // namespace memlane::cli
