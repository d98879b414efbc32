// The compiler of CUDA, where it is installed.
#pragma once

#include "memlane/support/limits.hpp"
#include "memlane/support/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memlane::cli {

/// Compiles a source to `output`. nvcc's messages go to standard error. `elsewhere`: how to do it
/// where nvcc is. Errors: there is no such file, or no nvcc, or it does not compile.
Status run_nvcc(const std::string& source, const std::vector<std::string>& options,
                const std::string& output, const std::string& elsewhere);

/// Most bytes of a PTX file.
inline constexpr std::size_t most_ptx_bytes = std::size_t{1} << 28;

/// The PTX of a .cu file's kernels. `command`: a command of memlane that takes PTX, too, for the
/// advice where nvcc is missing.
Result<std::string> ptx_of_source(const std::string& source, std::string_view command,
                                  const Limits& limits);

} // namespace memlane::cli
