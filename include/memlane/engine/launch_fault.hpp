// Launches that a machine cannot run (configs/README.md section 4).
#pragma once

#include "memlane/engine/stream.hpp"
#include "memlane/machine/spec.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace memlane {

/// Why the machine cannot run a launch, and the way out.
struct LaunchFault {
  std::string message, help;
  bool unfit = false; ///< this machine lacks it: others may have enough, or the shape that it needs
};

/// The fault of a launch's numbers of blocks and threads; none: the machine can run it.
std::optional<LaunchFault> shape_fault(const MachineSpec& machine, const std::string& kernel,
                                       const LaunchShape& shape);
/// The fault of the shared arrays of its blocks. `memory_end`: the first address after the memory
/// arrays.
std::optional<LaunchFault> capacity_fault(const MachineSpec& machine, const std::string& kernel,
                                          const LaunchShape& shape, std::int64_t memory_end);

} // namespace memlane
