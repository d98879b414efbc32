// Faults of a launch in words' terms: with the kernel, the block and the thread.
#pragma once

#include "run_grid.hpp"

namespace memlane::ptx {

ThreadFault thread_fault(const GridFault& fault, const Code& kernel);
/// Of faults that are allowed.
ThreadFault thread_fault(const AllowedFault& fault, const Code& kernel, const GridShape& shape);

} // namespace memlane::ptx
