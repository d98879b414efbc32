// The memory of `malloc` in kernels: what one thread allocates, others may use and free, also in
// later launches (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation").
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <vector>

namespace memlane::ptx {

class DeviceMemory;

class DeviceHeap {
public:
  static constexpr std::int64_t default_limit = 8 << 20;

  /// The most bytes of all allocations at once (cudaLimitMallocHeapSize).
  void set_limit(std::int64_t bytes) { limit_ = bytes; }

  /// New memory, a range of `memory` from now on; 0: the heap has no room for it. It is aligned as
  /// allocations of the host's side are, so that prices do not depend on the host's memory.
  std::uint64_t allocate(DeviceMemory& memory, std::uint64_t bytes);
  /// Ends an allocation. False: none begins there. The heap keeps its memory for others: warps
  /// remember ranges which they may access.
  bool free(DeviceMemory& memory, std::uint64_t address);

private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  struct Allocation {
    std::unique_ptr<void, Free> memory;
    std::int64_t capacity = 0;
    bool freed = false;
  };
  std::uint64_t take(std::int64_t capacity);

  std::int64_t limit_ = default_limit, allocated_ = 0;
  std::unordered_map<std::uint64_t, Allocation> allocations_;          ///< by address
  std::unordered_map<std::int64_t, std::vector<std::uint64_t>> freed_; ///< by capacity
};

} // namespace memlane::ptx
