// Options that `memlane ptx` and `memlane cuda` share.
#pragma once

#include "options.hpp"

#include "memlane/ptx/fault.hpp"
#include "memlane/ptx/price.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane::cli {

/// The machine of CUDA kernels where no -m is given. Its blocks may have 1024 threads.
inline constexpr std::string_view kernel_machine = "hmm-titan-plain";

/// What they fill.
struct KernelOptions {
  ptx::RaceCheck& races;
  std::int64_t& sample_blocks;
  bool &details, &explains;
  ptx::FaultKinds& allowed; ///< faults after which a launch goes on
};

/// `--races`, `--sample-blocks`, `--details`, `--explain`, and `--allow-KIND` for each fault that
/// may be allowed. `sample_help`: says what becomes of blocks that are not in the sample.
void add_kernel_options(Options& options, const KernelOptions& into, std::string_view sample_help);

/// Options that are given and need the price of all blocks.
using NeedsAllBlocks = std::vector<std::pair<bool, std::string_view>>;
void check_sample(OptionReader& given, std::int64_t sample_blocks, const NeedsAllBlocks& needed);

/// With commas between them.
std::string names_of(ptx::FaultKinds kinds);

} // namespace memlane::cli
