// NVIDIA's driver. It is loaded when a command asks for it; nothing is linked with it.
#pragma once

#include "memlane/study/gpu/gpu_machine.hpp"
#include "memlane/support/result.hpp"

namespace memlane::cli {

/// The number of GPUs, at least 1. Errors: there is no driver; it finds no GPU.
Result<int> count_gpus();

/// What the driver tells of a GPU, from 0. Errors: those of count_gpus; no GPU has this number; the
/// driver does not tell what a machine needs.
Result<measure::GpuFacts> facts_of_gpu(int number);

} // namespace memlane::cli
