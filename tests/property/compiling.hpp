// Random machines, and compilation of program texts.
#pragma once

#include "memlane/count/simulate.hpp"
#include "memlane/support/result.hpp"

#include <string>

namespace memlane::test {

/// A small machine of any model with any options.
MachineSpec random_machine(std::uint64_t seed);

/// Likewise for one_warp_program: more of them with several multiprocessors.
MachineSpec one_warp_machine(std::uint64_t seed);
/// An HMM with some keys of real GPUs (configs/README.md section 10).
MachineSpec random_gpu(std::uint64_t seed);

/// A DMM or an HMM of two multiprocessors with warps of 8 threads.
MachineSpec machine_of_8(Model model, std::int64_t threads = 64);

/// The text of a generated program whose main does three times what it did.
std::string thrice(std::string text);

/// Compiles a text without `use` for a machine.
Result<ir::Program> compiled(Sources& sources, const std::string& text, const MachineSpec& machine);

} // namespace memlane::test
