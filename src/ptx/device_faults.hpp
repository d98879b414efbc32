// What went wrong in a kernel, in words.
#pragma once

#include "exec/memory.hpp"

#include "memlane/ptx/device.hpp"

namespace memlane::ptx {

inline std::int64_t threads_of(const Dim3& block) { return block[0] * block[1] * block[2]; }

FaultCause cause_of(const Fault& fault);
/// What happened at which address, and what may have been meant.
std::string message_of(const Fault& fault, const DeviceMemory& memory);
/// Sets path and line of the source, or of the PTX if nvcc was not asked for lines.
void set_place(LaunchFault& said, const Fault& fault, const Module& module, const Sources& sources);

} // namespace memlane::ptx
