// Options that `memlane ptx` and `memlane cuda` share.
#pragma once

#include "options.hpp"

#include "memlane/ptx/fault.hpp"
#include "memlane/ptx/price.hpp"

#include <string>
#include <string_view>

namespace memlane::cli {

/// The machine of CUDA kernels where no -m is given. Its blocks may have 1024 threads.
inline constexpr std::string_view kernel_machine = "hmm-titan-plain";

/// What they fill.
struct KernelOptions {
  ptx::RaceCheck& races;
  bool &details, &explains;
  ptx::FaultKinds& allowed; ///< faults after which a launch goes on
};

/// `--races`, `--details`, `--explain`, and `--allow-KIND` for each fault that may be allowed.
void add_kernel_options(Options& options, const KernelOptions& into);

/// With commas between them.
std::string names_of(ptx::FaultKinds kinds);

} // namespace memlane::cli
