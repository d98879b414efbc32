// Memory of the device: its addresses are the host's.
#include "runtime.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace memlane::cudart {

namespace {

constexpr std::size_t pitch_align = 512;

Error allocate(Runtime& all, void** pointer, std::size_t bytes, MemoryKind kind) {
  if (!pointer) return Error::invalid_value;
  *pointer = nullptr;
  if (bytes == 0) return Error::success;
  const std::int64_t most = all.device.properties().memory;
  const std::uint64_t address = bytes > static_cast<std::size_t>(most)
                                    ? 0
                                    : all.device.allocate(static_cast<std::int64_t>(bytes));
  if (address == 0)
    return all.fail(Error::memory_allocation,
                    fmt::format("{} bytes, and {} of the device's {} are in use", bytes,
                                all.device.allocated(), most));
  all.memory[address] = kind;
  *pointer = reinterpret_cast<void*>(address);
  return Error::success;
}

Error release(Runtime& all, void* pointer) {
  if (!pointer) return Error::success;
  if (!all.device.free(number_of(pointer)))
    return all.fail(Error::invalid_value, "no allocation that is in use begins at this address");
  all.memory.erase(number_of(pointer));
  return Error::success;
}

} // namespace

bool is_device_memory(const Runtime& all, const void* address, std::size_t bytes) {
  const std::int64_t there = all.device.accessible(number_of(address));
  return there > 0 && bytes <= static_cast<std::size_t>(there);
}

// Allocation.

MEMLANE_API Error cudaMalloc(void** pointer, std::size_t bytes) {
  return with_runtime(
      [&](Runtime& all) { return allocate(all, pointer, bytes, MemoryKind::device); });
}
MEMLANE_API Error cudaMallocAsync(void** pointer, std::size_t bytes, StreamHandle) {
  const PublicCall named;
  return cudaMalloc(pointer, bytes);
}
MEMLANE_ALIAS(cudaMallocAsync_ptsz, cudaMallocAsync);
MEMLANE_API Error cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, void*, StreamHandle) {
  const PublicCall named;
  return cudaMalloc(pointer, bytes);
}
MEMLANE_ALIAS(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync);
MEMLANE_API Error cudaMallocManaged(void** pointer, std::size_t bytes, unsigned) {
  return with_runtime([&](Runtime& all) {
    if (bytes == 0) return Error::invalid_value;
    const Error error = allocate(all, pointer, bytes, MemoryKind::managed);
    return error;
  });
}
MEMLANE_API Error cudaHostAlloc(void** pointer, std::size_t bytes, unsigned) {
  return with_runtime(
      [&](Runtime& all) { return allocate(all, pointer, bytes, MemoryKind::pinned); });
}
MEMLANE_API Error cudaMallocHost(void** pointer, std::size_t bytes) {
  const PublicCall named;
  return cudaHostAlloc(pointer, bytes, 0);
}
MEMLANE_API Error cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width,
                                  std::size_t height) {
  return with_runtime([&](Runtime& all) {
    if (!pitch) return Error::invalid_value;
    *pitch = (width + pitch_align - 1) / pitch_align * pitch_align;
    if (height > 0 && *pitch > static_cast<std::size_t>(all.device.properties().memory) / height)
      return Error::memory_allocation;
    return allocate(all, pointer, *pitch * height, MemoryKind::device);
  });
}
MEMLANE_API Error cudaMalloc3D(PitchedPointer* pointer, Extent extent) {
  if (!pointer) return note(Error::invalid_value);
  pointer->width = extent.width;
  pointer->height = extent.height;
  if (extent.height > 0 && extent.depth > SIZE_MAX / extent.height)
    return note(Error::memory_allocation);
  const PublicCall named;
  return cudaMallocPitch(&pointer->pointer, &pointer->pitch, extent.width,
                         extent.height * extent.depth);
}
MEMLANE_API Error cudaFree(void* pointer) {
  return with_runtime([&](Runtime& all) { return release(all, pointer); });
}
/// In a captured stream, memory is there until the device is reset: the graph uses it each time.
MEMLANE_API Error cudaFreeAsync(void* pointer, StreamHandle stream) {
  return with_runtime([&](Runtime& all) {
    const Stream* const found = find_stream(all, stream);
    if (!found) return Error::invalid_resource_handle;
    if (!found->captured) return release(all, pointer);
    return all.device.accessible(number_of(pointer)) > 0 ? Error::success : Error::invalid_value;
  });
}
MEMLANE_ALIAS(cudaFreeAsync_ptsz, cudaFreeAsync);
MEMLANE_API Error cudaFreeHost(void* pointer) {
  const PublicCall named;
  return cudaFree(pointer);
}

MEMLANE_API Error cudaHostRegister(void* pointer, std::size_t bytes, unsigned) {
  return with_runtime([&](Runtime& all) {
    if (!pointer || bytes == 0) return Error::invalid_value;
    if (all.device.accessible(number_of(pointer)) > 0) return Error::host_memory_already_registered;
    all.device.add(number_of(pointer), static_cast<std::int64_t>(bytes));
    all.memory[number_of(pointer)] = MemoryKind::registered;
    return Error::success;
  });
}
MEMLANE_API Error cudaHostUnregister(void* pointer) {
  return with_runtime([&](Runtime& all) {
    const auto found = all.memory.find(number_of(pointer));
    if (found == all.memory.end() || found->second != MemoryKind::registered)
      return Error::host_memory_not_registered;
    return release(all, pointer);
  });
}
MEMLANE_API Error cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return with_runtime([&](Runtime& all) {
    if (!device || all.device.accessible(number_of(host)) == 0) return Error::invalid_value;
    *device = host;
    return Error::success;
  });
}
MEMLANE_API Error cudaHostGetFlags(unsigned* flags, void* host) {
  return with_runtime([&](Runtime& all) {
    if (!flags || all.device.accessible(number_of(host)) == 0) return Error::invalid_value;
    *flags = 2; // mapped
    return Error::success;
  });
}

MEMLANE_API Error cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return with_runtime([&](Runtime& all) {
    if (!free || !total) return Error::invalid_value;
    *total = static_cast<std::size_t>(all.device.properties().memory);
    *free = *total - static_cast<std::size_t>(all.device.allocated());
    return Error::success;
  });
}
MEMLANE_API Error cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return with_runtime([&](Runtime& all) {
    if (!attributes) return Error::invalid_value;
    *attributes = {};
    const ptx::DeviceVariable range = all.device.range_of(number_of(pointer));
    if (range.bytes == 0) {
      attributes->device = -1;
      attributes->host_pointer = const_cast<void*>(pointer);
      return Error::success;
    }
    const auto kind = all.memory.find(range.address);
    const MemoryKind is = kind == all.memory.end() ? MemoryKind::device : kind->second;
    attributes->type = is == MemoryKind::device ? 2 : is == MemoryKind::managed ? 3 : 1;
    attributes->device_pointer = const_cast<void*>(pointer);
    if (is != MemoryKind::device) attributes->host_pointer = const_cast<void*>(pointer);
    return Error::success;
  });
}
/// Hints about where managed memory is: it is in one place.
MEMLANE_API Error cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, int, void*) {
  return with_runtime([&](Runtime& all) {
    return is_device_memory(all, pointer, bytes) ? Error::success : Error::invalid_value;
  });
}
MEMLANE_API Error cudaMemAdvise(const void* pointer, std::size_t bytes, int, int) {
  const PublicCall named;
  return cudaMemPrefetchAsync(pointer, bytes, 0, nullptr);
}

} // namespace memlane::cudart
