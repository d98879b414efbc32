// Copies and fills. What is said to be of the device must be an allocation of it, whole.
#include "runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

namespace memlane::cudart {

namespace {

constexpr int memcpy_node = 1, memset_node = 2; // cudaGraphNodeType

/// A tenth of a nanosecond a byte: 10 GB a second, made up.
void pass_for_bytes(Runtime& all, std::size_t bytes) {
  if (!all.priced) all.pass(100 + static_cast<double>(bytes / 10)); // made up, too
}

/// `there`: bytes of the device's memory at the place.
Error outside(Runtime& all, const char* name, std::size_t bytes, std::int64_t there) {
  return all.fail(Error::invalid_value,
                  there > 0
                      ? fmt::format("{} bytes, and its {} has {} up to the end of the allocation",
                                    bytes, name, there)
                      : fmt::format("its {} is not in memory of the device", name));
}

} // namespace

Error copy_bytes(Runtime& all, void* to, const void* from, std::size_t bytes, Copy kind,
                 StreamHandle stream) {
  if (const Error error = check_copy(all, to, from, bytes, kind); error != Error::success)
    return error;
  return enqueue(
      all, stream,
      [&all, to, from, bytes] {
        if (bytes > 0) std::memmove(to, from, bytes);
        pass_for_bytes(all, bytes);
        return Error::success;
      },
      memcpy_node);
}

Error copy_rows(Runtime& all, void* to, std::size_t to_pitch, const void* from,
                std::size_t from_pitch, std::size_t width, std::size_t height, Copy kind,
                StreamHandle stream) {
  Copy3D all_of_it;
  all_of_it.to = {to, to_pitch, width, height};
  all_of_it.from = {const_cast<void*>(from), from_pitch, width, height};
  all_of_it.extent = {width, height, 1};
  all_of_it.kind = kind;
  Work work;
  if (const Error error = copy_3d(all, all_of_it, work); error != Error::success) return error;
  return enqueue(all, stream, std::move(work), memcpy_node);
}

Error check_copy(Runtime& all, const void* to, const void* from, std::size_t bytes, Copy kind) {
  if (kind < Copy::host_to_host || kind > Copy::by_address) return Error::invalid_memcpy_direction;
  if (bytes == 0) return Error::success;
  if (!to || !from) return Error::invalid_value;
  const bool to_device = kind == Copy::host_to_device || kind == Copy::device_to_device;
  const bool from_device = kind == Copy::device_to_host || kind == Copy::device_to_device;
  for (const auto& [address, must, name] :
       {std::tuple{to, to_device, "target"}, std::tuple{from, from_device, "source"}}) {
    // An address in the device's memory is checked, whatever it is said to be.
    const std::int64_t there = all.device.accessible(number_of(address));
    if (there > 0 ? bytes <= static_cast<std::size_t>(there) : !must) continue;
    return outside(all, name, bytes, there);
  }
  return Error::success;
}

Error copy_3d(Runtime& all, Copy3D copy, Work& work) {
  if (const Error error = without_arrays(all, copy); error != Error::success) return error;
  const Extent extent = copy.extent;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) {
    work = [] { return Error::success; };
    return Error::success;
  }
  const auto layout = [&](const PitchedPointer& pointer, const Position& at) {
    const std::size_t slice = pointer.pitch * std::max(pointer.height, extent.height);
    return std::pair{
        static_cast<char*>(pointer.pointer) + at.z * slice + at.y * pointer.pitch + at.x, slice};
  };
  if (!copy.from.pointer || !copy.to.pointer) return Error::invalid_value;
  if (extent.height * extent.depth > 1 &&
      (copy.from.pitch < extent.width || copy.to.pitch < extent.width))
    return Error::invalid_pitch_value;
  const auto [from, from_slice] = layout(copy.from, copy.from_position);
  const auto [to, to_slice] = layout(copy.to, copy.to_position);
  const auto span = [&](std::size_t pitch, std::size_t slice) {
    return (extent.depth - 1) * slice + (extent.height - 1) * pitch + extent.width;
  };
  // Both ends are checked with their own spans.
  const std::size_t from_span = span(copy.from.pitch, from_slice),
                    to_span = span(copy.to.pitch, to_slice);
  for (const auto& [bytes, target, source] :
       {std::tuple{to_span, to, to}, std::tuple{from_span, from, from}}) {
    const bool is_target = target == to;
    const bool must =
        is_target ? copy.kind == Copy::host_to_device || copy.kind == Copy::device_to_device
                  : copy.kind == Copy::device_to_host || copy.kind == Copy::device_to_device;
    const Copy same = must ? Copy::device_to_device : Copy::host_to_host;
    if (const Error error = check_copy(all, target, source, bytes, same); error != Error::success)
      return error;
  }
  work = [&all, from = from, to = to, from_slice = from_slice, to_slice = to_slice, extent,
          from_pitch = copy.from.pitch, to_pitch = copy.to.pitch] {
    for (std::size_t z = 0; z < extent.depth; ++z)
      for (std::size_t y = 0; y < extent.height; ++y)
        std::memmove(to + z * to_slice + y * to_pitch, from + z * from_slice + y * from_pitch,
                     extent.width);
    pass_for_bytes(all, extent.width * extent.height * extent.depth);
    return Error::success;
  };
  return Error::success;
}

Error fill_2d(Runtime& all, void* to, std::size_t pitch, unsigned value, unsigned element_bytes,
              std::size_t width, std::size_t height, Work& work) {
  if (element_bytes != 1 && element_bytes != 2 && element_bytes != 4) return Error::invalid_value;
  const std::size_t row = width * element_bytes;
  if (row == 0 || height == 0) {
    work = [] { return Error::success; };
    return Error::success;
  }
  if (height > 1 && pitch < row) return Error::invalid_pitch_value;
  if (const std::size_t bytes = (height - 1) * pitch + row; !is_device_memory(all, to, bytes))
    return outside(all, "target", bytes, all.device.accessible(number_of(to)));
  work = [=, &all] {
    auto* const bytes = static_cast<char*>(to);
    for (std::size_t y = 0; y < height; ++y) {
      if (element_bytes == 1) {
        std::memset(bytes + y * pitch, static_cast<int>(value & 0xff), row);
        continue;
      }
      for (std::size_t x = 0; x < width; ++x)
        std::memcpy(bytes + y * pitch + x * element_bytes, &value, element_bytes);
    }
    pass_for_bytes(all, row * height);
    return Error::success;
  };
  return Error::success;
}

MEMLANE_API Error cudaMemcpy(void* to, const void* from, std::size_t bytes, Copy kind) {
  return with_runtime(
      [&](Runtime& all) { return copy_bytes(all, to, from, bytes, kind, nullptr); });
}
MEMLANE_ALIAS(cudaMemcpy_ptds, cudaMemcpy);
MEMLANE_API Error cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, Copy kind,
                                  StreamHandle stream) {
  return with_runtime([&](Runtime& all) { return copy_bytes(all, to, from, bytes, kind, stream); });
}
MEMLANE_ALIAS(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);
MEMLANE_API Error cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  const PublicCall named;
  return cudaMemcpy(to, from, bytes, Copy::device_to_device);
}
MEMLANE_API Error cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes,
                                      StreamHandle stream) {
  const PublicCall named;
  return cudaMemcpyAsync(to, from, bytes, Copy::device_to_device, stream);
}
MEMLANE_API Error cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                                    std::size_t from_pitch, std::size_t width, std::size_t height,
                                    Copy kind, StreamHandle stream) {
  return with_runtime([&](Runtime& all) {
    return copy_rows(all, to, to_pitch, from, from_pitch, width, height, kind, stream);
  });
}
MEMLANE_ALIAS(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);
MEMLANE_API Error cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from,
                               std::size_t from_pitch, std::size_t width, std::size_t height,
                               Copy kind) {
  const PublicCall named;
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}
MEMLANE_ALIAS(cudaMemcpy2D_ptds, cudaMemcpy2D);
MEMLANE_API Error cudaMemcpy3DAsync(const Copy3D* all_of_it, StreamHandle stream) {
  return with_runtime([&](Runtime& all) {
    if (!all_of_it) return Error::invalid_value;
    Work work;
    if (const Error error = copy_3d(all, *all_of_it, work); error != Error::success) return error;
    return enqueue(all, stream, std::move(work), memcpy_node);
  });
}
MEMLANE_ALIAS(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);
MEMLANE_API Error cudaMemcpy3D(const Copy3D* all_of_it) {
  const PublicCall named;
  return cudaMemcpy3DAsync(all_of_it, nullptr);
}
MEMLANE_ALIAS(cudaMemcpy3D_ptds, cudaMemcpy3D);

// Filling.

namespace {

Error fill(Runtime& all, void* to, std::size_t pitch, int value, std::size_t width,
           std::size_t height, StreamHandle stream) {
  Work work;
  if (const Error error =
          fill_2d(all, to, pitch, static_cast<unsigned>(value) & 0xff, 1, width, height, work);
      error != Error::success)
    return error;
  return enqueue(all, stream, std::move(work), memset_node);
}

} // namespace

MEMLANE_API Error cudaMemset(void* to, int value, std::size_t bytes) {
  return with_runtime([&](Runtime& all) { return fill(all, to, bytes, value, bytes, 1, nullptr); });
}
MEMLANE_ALIAS(cudaMemset_ptds, cudaMemset);
MEMLANE_API Error cudaMemsetAsync(void* to, int value, std::size_t bytes, StreamHandle stream) {
  return with_runtime([&](Runtime& all) { return fill(all, to, bytes, value, bytes, 1, stream); });
}
MEMLANE_ALIAS(cudaMemsetAsync_ptsz, cudaMemsetAsync);
MEMLANE_API Error cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width,
                                    std::size_t height, StreamHandle stream) {
  return with_runtime(
      [&](Runtime& all) { return fill(all, to, pitch, value, width, height, stream); });
}
MEMLANE_ALIAS(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);
MEMLANE_API Error cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width,
                               std::size_t height) {
  const PublicCall named;
  return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}
MEMLANE_ALIAS(cudaMemset2D_ptds, cudaMemset2D);

MEMLANE_API Error cudaMemset3DAsync(PitchedPointer to, int value, Extent extent,
                                    StreamHandle stream) {
  return with_runtime([&](Runtime& all) {
    for (std::size_t z = 0; z < extent.depth; ++z) {
      char* const slice = static_cast<char*>(to.pointer) + z * to.pitch * to.height;
      if (const Error error =
              fill(all, slice, to.pitch, value, extent.width, extent.height, stream);
          error != Error::success)
        return error;
    }
    return Error::success;
  });
}
MEMLANE_ALIAS(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);
MEMLANE_API Error cudaMemset3D(PitchedPointer to, int value, Extent extent) {
  const PublicCall named;
  return cudaMemset3DAsync(to, value, extent, nullptr);
}
MEMLANE_ALIAS(cudaMemset3D_ptds, cudaMemset3D);

// Symbols.

namespace {

Error place_in_symbol(Runtime& all, const void* symbol, std::size_t bytes, std::size_t offset,
                      char*& place) {
  ptx::DeviceVariable variable;
  if (const Error error = find_symbol(all, symbol, variable); error != Error::success) return error;
  const auto size = static_cast<std::size_t>(variable.bytes);
  if (offset > size || bytes > size - offset) return Error::invalid_value;
  place = reinterpret_cast<char*>(variable.address) + offset;
  return Error::success;
}

} // namespace

MEMLANE_API Error cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                          std::size_t offset, Copy kind, StreamHandle stream) {
  return with_runtime([&](Runtime& all) {
    char* to = nullptr;
    const Error error = place_in_symbol(all, symbol, bytes, offset, to);
    return error == Error::success ? copy_bytes(all, to, from, bytes, kind, stream) : error;
  });
}
MEMLANE_ALIAS(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);
MEMLANE_API Error cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                                     std::size_t offset, Copy kind) {
  const PublicCall named;
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr);
}
MEMLANE_ALIAS(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);
MEMLANE_API Error cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                            std::size_t offset, Copy kind, StreamHandle stream) {
  return with_runtime([&](Runtime& all) {
    char* from = nullptr;
    const Error error = place_in_symbol(all, symbol, bytes, offset, from);
    return error == Error::success ? copy_bytes(all, to, from, bytes, kind, stream) : error;
  });
}
MEMLANE_ALIAS(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);
MEMLANE_API Error cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                       std::size_t offset, Copy kind) {
  const PublicCall named;
  return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr);
}
MEMLANE_ALIAS(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);
MEMLANE_API Error cudaGetSymbolAddress(void** address, const void* symbol) {
  return with_runtime([&](Runtime& all) {
    char* place = nullptr;
    const Error error = place_in_symbol(all, symbol, 0, 0, place);
    if (error == Error::success) *address = place;
    return error;
  });
}
MEMLANE_API Error cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return with_runtime([&](Runtime& all) {
    ptx::DeviceVariable variable;
    const Error error = find_symbol(all, symbol, variable);
    if (error == Error::success) *bytes = static_cast<std::size_t>(variable.bytes);
    return error;
  });
}

} // namespace memlane::cudart
