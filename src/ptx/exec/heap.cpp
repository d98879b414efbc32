#include "heap.hpp"

#include "memory.hpp"

namespace memlane::ptx {

namespace {

constexpr std::int64_t heap_align = 256;

} // namespace

/// Memory that was freed, or new one; 0: the host has none.
std::uint64_t DeviceHeap::take(std::int64_t capacity) {
  std::vector<std::uint64_t>& freed = freed_[capacity];
  if (!freed.empty()) {
    const std::uint64_t address = freed.back();
    freed.pop_back();
    allocations_[address].freed = false;
    return address;
  }
  void* const memory = std::aligned_alloc(heap_align, static_cast<std::size_t>(capacity));
  if (!memory) return 0;
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  Allocation& made = allocations_[address];
  made.memory.reset(memory);
  made.capacity = capacity;
  return address;
}

std::uint64_t DeviceHeap::allocate(DeviceMemory& memory, std::uint64_t bytes) {
  if (bytes == 0 || limit_ <= 0 || bytes > static_cast<std::uint64_t>(limit_)) return 0;
  const std::int64_t wanted = static_cast<std::int64_t>(bytes);
  const std::int64_t capacity = (wanted + heap_align - 1) / heap_align * heap_align;
  if (wanted > limit_ - allocated_) return 0;
  const std::uint64_t address = take(capacity);
  if (address == 0) return 0;
  memory.add(address, bytes);
  allocated_ += wanted;
  return address;
}

bool DeviceHeap::free(DeviceMemory& memory, std::uint64_t address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || found->second.freed) return false;
  const DeviceMemory::Range* const range = memory.find(address);
  if (range) allocated_ -= static_cast<std::int64_t>(range->end - range->begin);
  memory.free(address);
  found->second.freed = true;
  freed_[found->second.capacity].push_back(address);
  return true;
}

} // namespace memlane::ptx
