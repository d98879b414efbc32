// The blocks of a launch, one after the other; blocks that wait for each other take turns.
#pragma once

#include "run_warp.hpp"

#include "memlane/support/limits.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace memlane::ptx {

using Dim3 = std::array<std::int64_t, 3>;

struct GridShape {
  Dim3 blocks{1, 1, 1}, threads{1, 1, 1};
  std::int64_t dynamic_shared = 0; ///< bytes
};

/// A fault with the thread that made it.
struct GridFault {
  Fault fault;
  Dim3 block{}, thread{};
};

struct GridResult {
  std::int64_t warp_steps = 0; ///< executed by warps
  std::vector<GridFault> faults;
  Stop stop = Stop::none;
  bool waits_for_ever = false; ///< all blocks under way wait for something that none does
};

/// Runs a kernel. `params`: its parameters' bytes, as the kernel's variables lay them out.
GridResult run_grid(const Image& image, const Code& kernel, const GridShape& shape,
                    const std::vector<std::uint8_t>& params, const DeviceMemory& device,
                    const Limits& limits, AccessObserver* observer = nullptr);

} // namespace memlane::ptx
