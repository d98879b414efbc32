// What the runtime library told of a program's launches, as a summary.
#pragma once

#include "memlane/kernels/launch_choice.hpp"
#include "memlane/show/run_report.hpp"
#include "memlane/support/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memlane::cli {

/// One kernel, its chosen launches.
struct KernelSummary {
  std::string name, symbol; ///< as C++ writes it, and as PTX does
  std::int64_t launches = 0, warp_instructions = 0;
  std::int64_t registers = 0, static_shared = 0;
  std::int64_t faults = 0;
  std::optional<MachineCode> machine_code; ///< none: the report lacks it
};

struct CudaSummary {
  std::vector<KernelSummary> kernels; ///< in the order of their first launches; all of them
  std::int64_t launches = 0, warp_instructions = 0, faults = 0;
  std::int64_t errors = 0;       ///< launches that were refused, modules that were not loaded
  std::int64_t all_launches = 0; ///< chosen or not
  std::int64_t forked = 0;       ///< chosen launches of forked processes, which have no price
  Stop stop = Stop::none;        ///< of the launch after which none followed
  std::string fatal;             ///< of the first fault that ended a launch, chosen or not
  std::string lines;             ///< of the report: those of chosen launches, and errors
  std::int64_t unreadable = 0;   ///< lines: of a program that ended while it wrote
};

/// From lines of JSON, one a launch (src/cudart/report.hpp).
CudaSummary summary_of(const std::string& lines, const LaunchChoice& choice = {});
/// A table of kernels, a line for all; faults were printed when they happened. `machine_code`: with
/// its differences from the PTX, which the result of a priced run has itself. `columns`: of a row,
/// 0: any.
std::string summary_text(const CudaSummary& summary, bool machine_code, std::size_t columns = 0);
/// Errors: a name that no launched kernel has, and numbers that no launch had.
Status check_chosen(const CudaSummary& summary, const LaunchChoice& choice);

} // namespace memlane::cli
