// The machine of a GPU: what its driver tells, and guesses from a shipped machine of its
// generation.
#pragma once

#include "memlane/machine/spec.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memlane::measure {

/// What a driver tells of a GPU; all of these are at least 1.
struct GpuFacts {
  std::string name;
  int capability = 0; ///< compute capability: 86 is 8.6
  std::int64_t multiprocessors = 1;
  std::int64_t warp = 32;         ///< threads
  std::int64_t block_threads = 1; ///< most of a block
  // Of a multiprocessor, at once:
  std::int64_t threads = 1;
  std::int64_t registers = 1;
  std::int64_t shared_bytes = 1;
  std::optional<std::int64_t> blocks = {}; ///< older drivers do not tell it
  /// Shared bytes that each block takes beside its own; older drivers do not tell it.
  std::optional<std::int64_t> reserved_bytes = {};
  // Of the device:
  std::int64_t clock = 1;        ///< Hz
  std::int64_t memory_clock = 1; ///< Hz; each bit of the bus moves two bits in it
  std::int64_t bus_bits = 1;
  std::int64_t memory_bytes = 1;
};

/// A GPU whose machine is shipped, or a generation that has none and is nearest to this machine.
struct KnownGpu {
  int capability;
  std::string_view machine;
  std::int64_t clock;      ///< of the machine's GPU in Hz: its time units may be longer or shorter
  std::string_view device; ///< its name without "NVIDIA "; empty: only a generation
};
/// By compute capability; the first of each has the guesses for its generation.
const std::vector<KnownGpu>& known_gpus();
/// The one whose machine has the guesses for GPUs of this compute capability: the first of the
/// greatest capability up to it, or the first of all.
const KnownGpu& nearest_gpu(int capability);
/// The shipped one of this name, or null. GPUs of one name may differ, for example in their
/// multiprocessors.
const KnownGpu* gpu_called(std::string_view name);

/// The machine with the keys of configs/README.md section 10. Global memory moves 92 % of its
/// bandwidth, a whole number of sectors of 32 bytes in each time unit. A time unit is a clock if
/// rounding the sectors changes them by at most 4 %; else it is the time in which that number
/// comes. `machine` is the shipped one of `known`: it has what the driver does not tell, in clocks.
MachineSpec gpu_machine(const GpuFacts& facts, const KnownGpu& known, const MachineSpec& machine);

} // namespace memlane::measure
