// What can be known of a CUDA program before it runs: whether memlane's library serves it.
#pragma once

#include "memlane/support/limits.hpp"
#include "memlane/support/result.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memlane::cli {

/// The largest executable that is read.
inline constexpr std::size_t most_executable_bytes = std::size_t{4} << 30;

/// The folder of memlane's libcudart: beside the program of a build folder, or where an installed
/// one has it.
std::string cudart_folder();

/// Names of the functions that memlane's library for this version of CUDA has, sorted.
Result<std::vector<std::string>> cudart_functions(int version, const Limits& limits);

/// Whether a program would run with memlane's library. Errors, all of them: it is no program of
/// this machine, has no CUDA or no PTX, brings NVIDIA's runtime with it (static, or by an RPATH),
/// calls functions that memlane's library lacks, the driver, or libraries such as cuBLAS; its PTX
/// has what memlane does not execute. The texts of such errors are in `sources`. Reads the program
/// and the libraries of its own that it is linked with.
Status check_cuda_program(const std::string& path, Sources& sources);

/// Whether a program's launches can be measured. Errors: it is no program of this machine, has no
/// CUDA, or brings NVIDIA's runtime with it.
Status check_measurable_program(const std::string& path, Sources& sources);

} // namespace memlane::cli
