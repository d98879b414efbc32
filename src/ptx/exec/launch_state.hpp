// What a launch keeps beside its blocks: which faults it goes on after, what kernels print, and the
// memory in which cooperative grids wait.
#pragma once

#include "heap.hpp"
#include "step.hpp"

#include "memlane/ptx/fault.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memlane::ptx {

/// What threads have printed, ordered by their blocks.
class Printed {
public:
  /// Bytes that are kept; what follows is counted only.
  std::int64_t most_bytes = std::int64_t{1} << 24;

  void add(std::int64_t block, std::string_view text);
  /// The texts by block; of one block in the order of their execution.
  std::string text() const;
  std::int64_t lost() const { return lost_; } ///< calls of printf whose text was not kept

private:
  struct Piece {
    std::int64_t block = 0;
    std::string text;
  };
  std::vector<Piece> pieces_;
  std::int64_t bytes_ = 0, lost_ = 0;
};

/// A fault after which the launch went on: the first of its kind, and how many there were.
struct AllowedFault {
  FaultKind kind = FaultKind::none;
  int lane = 0;
  Space space = Space::generic;
  std::uint64_t address = 0;
  int bytes = 0;
  const Step* step = nullptr;
  std::int64_t block = 0, warp = 0, times = 0;
};

class DeviceMemory;

struct LaunchState {
  FaultKinds allowed;
  std::vector<AllowedFault> faults; ///< by kind, in the order in which they first happened
  Printed printed;
  /// Of malloc in kernels; nulls: it has no memory.
  DeviceHeap* heap = nullptr;
  DeviceMemory* memory = nullptr;
  /// Of a cooperative launch: where its blocks count who has come. `%envreg1` and `%envreg2` have
  /// its address; cooperative_groups traps if that is 0.
  bool cooperative = false;
  alignas(64) std::uint8_t workspace[64] = {};
};

} // namespace memlane::ptx
