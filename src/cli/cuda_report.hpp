// What the runtime library told of a program's launches, as a summary.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memlane::cli {

/// One kernel, all its launches.
struct KernelSummary {
  std::string name;
  std::int64_t launches = 0, warp_instructions = 0;
  std::int64_t registers = 0, static_shared = 0;
  std::int64_t faults = 0;
};

struct CudaSummary {
  std::vector<KernelSummary> kernels; ///< in the order of their first launches
  std::int64_t launches = 0, warp_instructions = 0, faults = 0, errors = 0;
  std::int64_t unreadable = 0; ///< lines: of a program that ended while it wrote
};

/// From lines of JSON, one a launch (src/cudart/report.hpp).
CudaSummary summary_of(const std::string& lines);
/// A table of kernels, a line for all; faults were printed when they happened.
std::string summary_text(const CudaSummary& summary);

} // namespace memlane::cli
