// A run of CUDA kernels explained: where the time of each kernel and launch went, what each source
// line costs, and what would help.
#pragma once

#include "memlane/ptx/price.hpp"
#include "memlane/show/explanation.hpp"
#include "memlane/support/limits.hpp"

#include <string>

namespace memlane {

/// Explains what was priced with PriceOptions::explains. Changes are simulated by timing the kept
/// requests again, at most 32 times: more resident blocks, spare words in the rows of arrays in
/// shared memory, lines without the stages that they lose. `command`: the command of the run, to
/// which options of changes are appended. `limits`: of all this.
Explanation explained_kernels(const ptx::Pricing& pricing, const MachineSpec& machine,
                              const std::string& command, const Limits& limits);

} // namespace memlane
