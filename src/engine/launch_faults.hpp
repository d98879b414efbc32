// Launches that a machine cannot run.
#pragma once

#include "memlane/engine/stream.hpp"
#include "memlane/machine/spec.hpp"

#include <optional>
#include <string>

namespace memlane {

/// Why the machine cannot run a launch, and the way out.
struct LaunchFault {
  std::string message, help;
  bool unfit = false; ///< of this machine: others may have enough, or the shape that it needs
};

/// Of its numbers of blocks and threads; none: it can.
std::optional<LaunchFault> shape_fault(const MachineSpec& machine, const std::string& kernel,
                                       const LaunchShape& shape);
/// Of the shared arrays of its blocks. `memory_end`: the first address after the memory arrays.
std::optional<LaunchFault> capacity_fault(const MachineSpec& machine, const std::string& kernel,
                                          const LaunchShape& shape, std::int64_t memory_end);

} // namespace memlane
