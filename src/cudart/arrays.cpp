// Arrays: texels that lie row by row in the device's memory, and copies of them.
#include "properties.hpp"
#include "runtime.hpp"

#include <algorithm>

namespace memlane::cudart {

namespace {

constexpr unsigned layered = 1, cube = 4;
constexpr unsigned known_flags = layered | cube | 2 | 8; // surfaces and gathering need no more

/// Whether cubes have this extent: six squares each. Only layered arrays have several cubes.
bool is_cube_extent(const Extent& extent, bool has_layers) {
  return extent.width == extent.height && extent.depth > 0 && extent.depth % 6 == 0 &&
         (has_layers || extent.depth == 6);
}

/// Whether the device has arrays of this extent: the depth counts layers, if there are any.
bool has_extent(const ptx::DeviceProperties& has, const Extent& extent, bool has_layers) {
  const bool has_rows = extent.height > 0;
  // Without rows there are no slices.
  if (extent.width == 0 || (has_layers ? extent.depth == 0 : !has_rows && extent.depth > 0))
    return false;
  const std::string_view limit = has_layers
                                     ? has_rows ? "maxTexture2DLayered" : "maxTexture1DLayered"
                                 : extent.depth > 0 ? "maxTexture3D"
                                 : has_rows         ? "maxTexture2D"
                                                    : "maxTexture1D";
  const auto most = property_of(has, limit);
  std::size_t k = 0;
  for (const std::size_t one : {extent.width, extent.height, extent.depth})
    if (one > 0 && one > static_cast<std::size_t>(most[k++])) return false;
  return true;
}

Error make_array(Runtime& all, Array** into, const ChannelFormat* format, Extent extent,
                 unsigned flags) {
  if (!into || !format) return Error::invalid_value;
  if ((flags & ~known_flags) != 0) {
    say("error: memlane has no arrays that are sparse or mapped later");
    return Error::not_supported;
  }
  const std::optional<ptx::TexelFormat> texel = texel_format_of(*format);
  const bool is_cube = (flags & cube) != 0, has_layers = (flags & (layered | cube)) != 0;
  if (is_cube && !is_cube_extent(extent, (flags & layered) != 0)) return Error::invalid_value;
  if (!texel || !has_extent(all.device.properties(), extent, has_layers))
    return Error::invalid_value;
  auto made = std::make_unique<Array>();
  made->format = *format;
  made->extent = extent;
  made->flags = flags;
  const auto at_least_one = [](std::size_t number) {
    return static_cast<std::int64_t>(std::max<std::size_t>(number, 1));
  };
  const std::int64_t slices = at_least_one(extent.depth);
  ptx::TexelArray& texels = made->texels;
  texels.format = *texel;
  texels.extent = {at_least_one(extent.width), at_least_one(extent.height),
                   has_layers ? 1 : slices};
  texels.layers = has_layers ? slices : 0;
  texels.row_bytes = texels.extent[0] * texel->bytes();
  texels.slice_bytes = texels.row_bytes * texels.extent[1];
  texels.address = all.device.allocate(texels.slice_bytes * slices);
  if (texels.address == 0) return Error::memory_allocation;
  *into = made.get();
  all.arrays[*into] = std::move(made);
  return Error::success;
}

/// The first of `width` bytes of `height` rows of a slice, if they are in the array; else null.
char* place_in_array(const Array* array, std::size_t x, std::size_t y, std::size_t width,
                     std::size_t height) {
  if (!array) return nullptr;
  const ptx::TexelArray& texels = array->texels;
  const auto row = static_cast<std::size_t>(texels.row_bytes),
             rows = static_cast<std::size_t>(texels.extent[1]);
  if (x > row || width > row - x || y > rows || height > rows - y) return nullptr;
  return reinterpret_cast<char*>(texels.address) + y * row + x;
}
std::size_t pitch_of(const Array& array) {
  return static_cast<std::size_t>(array.texels.row_bytes);
}
/// Whether the side of the array is the device's.
bool goes_to_device(Copy kind) {
  return kind == Copy::host_to_device || kind == Copy::device_to_device || kind == Copy::by_address;
}
bool comes_from_device(Copy kind) {
  return kind == Copy::device_to_host || kind == Copy::device_to_device || kind == Copy::by_address;
}

/// Bytes that follow each other from a place on, over the ends of rows.
char* bytes_of_array(const Array* array, std::size_t x, std::size_t y, std::size_t bytes) {
  char* const place = place_in_array(array, x, y, 0, 0);
  if (!place) return nullptr;
  const auto offset =
      static_cast<std::size_t>(place - reinterpret_cast<char*>(array->texels.address));
  return bytes <= static_cast<std::size_t>(array->texels.slice_bytes) - offset ? place : nullptr;
}

/// One end of a copy of three dimensions, in bytes: of an array its memory.
Error take_end(Runtime& all, void* handle, bool is_device, const Extent& extent,
               PitchedPointer& end, Position& at, int& texel_bytes) {
  if (!handle) return Error::success;
  if (end.pointer) return Error::invalid_value; // either an array or memory
  if (!is_device) return Error::invalid_memcpy_direction;
  const Array* const array = find_array(all, handle);
  if (!array) return Error::invalid_value;
  const ptx::TexelArray& texels = array->texels;
  const std::size_t most[] = {static_cast<std::size_t>(texels.extent[0]),
                              static_cast<std::size_t>(texels.extent[1]),
                              static_cast<std::size_t>(std::max(texels.extent[2], texels.layers))};
  const std::size_t first[] = {at.x, at.y, at.z},
                    count[] = {extent.width, extent.height, extent.depth};
  for (int k = 0; k < 3; ++k)
    if (first[k] > most[k] || count[k] > most[k] - first[k]) return Error::invalid_value;
  const int bytes = texels.format.bytes();
  if (texel_bytes != 0 && texel_bytes != bytes) return Error::invalid_value;
  texel_bytes = bytes;
  end = {reinterpret_cast<void*>(texels.address), pitch_of(*array), pitch_of(*array), most[1]};
  at.x *= static_cast<std::size_t>(bytes);
  return Error::success;
}

} // namespace

Array* find_array(Runtime& all, const void* handle) {
  const auto found = all.arrays.find(static_cast<const Array*>(handle));
  return found == all.arrays.end() ? nullptr : found->second.get();
}

std::optional<ptx::TexelFormat> texel_format_of(const ChannelFormat& format) {
  const int bits[] = {format.x, format.y, format.z, format.w};
  int channels = 0;
  while (channels < 4 && bits[channels] > 0) ++channels;
  for (int k = 0; k < 4; ++k)
    if (bits[k] != (k < channels ? format.x : 0)) return std::nullopt;
  const bool is_float = format.kind == 2;
  const bool has_width = format.x == 16 || format.x == 32 || (format.x == 8 && !is_float);
  if (channels == 0 || channels == 3 || !has_width || format.kind < 0 || format.kind > 2)
    return std::nullopt;
  const ptx::ChannelKind kinds[] = {ptx::ChannelKind::signed_, ptx::ChannelKind::unsigned_,
                                    ptx::ChannelKind::floating};
  return ptx::TexelFormat{channels, format.x, kinds[format.kind]};
}

Error without_arrays(Runtime& all, Copy3D& copy) {
  int texel_bytes = 0;
  for (const bool is_target : {false, true}) {
    const Error error = is_target
                            ? take_end(all, copy.to_array, goes_to_device(copy.kind), copy.extent,
                                       copy.to, copy.to_position, texel_bytes)
                            : take_end(all, copy.from_array, comes_from_device(copy.kind),
                                       copy.extent, copy.from, copy.from_position, texel_bytes);
    if (error != Error::success) return error;
  }
  // Beside an array, the extent counts its elements.
  if (texel_bytes != 0) copy.extent.width *= static_cast<std::size_t>(texel_bytes);
  return Error::success;
}

MEMLANE_API ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}
MEMLANE_API Error cudaGetChannelDesc(ChannelFormat* format, const void* handle) {
  return with_runtime([&](Runtime& all) {
    const Array* const array = find_array(all, handle);
    if (!array || !format) return Error::invalid_value;
    *format = array->format;
    return Error::success;
  });
}
MEMLANE_API Error cudaMalloc3DArray(Array** array, const ChannelFormat* format, Extent extent,
                                    unsigned flags) {
  return with_runtime([&](Runtime& all) { return make_array(all, array, format, extent, flags); });
}
MEMLANE_API Error cudaMallocArray(Array** array, const ChannelFormat* format, std::size_t width,
                                  std::size_t height, unsigned flags) {
  if ((flags & layered) != 0) return note(Error::invalid_value);
  const PublicCall named;
  return cudaMalloc3DArray(array, format, {width, height, 0}, flags);
}
MEMLANE_API Error cudaFreeArray(Array* handle) {
  return with_runtime([&](Runtime& all) {
    if (!handle) return Error::success;
    const Array* const array = find_array(all, handle);
    if (!array) return Error::invalid_value;
    all.device.free(array->texels.address);
    all.arrays.erase(array);
    return Error::success;
  });
}
MEMLANE_API Error cudaArrayGetInfo(ChannelFormat* format, Extent* extent, unsigned* flags,
                                   Array* handle) {
  return with_runtime([&](Runtime& all) {
    const Array* const array = find_array(all, handle);
    if (!array) return Error::invalid_value;
    if (format) *format = array->format;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return Error::success;
  });
}

// Copies: places and widths count bytes.

MEMLANE_API Error cudaMemcpy2DToArrayAsync(Array* to, std::size_t x, std::size_t y,
                                           const void* from, std::size_t pitch, std::size_t width,
                                           std::size_t height, Copy kind, StreamHandle stream) {
  return with_runtime([&](Runtime& all) {
    if (!goes_to_device(kind)) return Error::invalid_memcpy_direction;
    const Array* const array = find_array(all, to);
    char* const place = place_in_array(array, x, y, width, height);
    if (!place) return Error::invalid_value;
    return copy_rows(all, place, pitch_of(*array), from, pitch, width, height, kind, stream);
  });
}
MEMLANE_ALIAS(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync);
MEMLANE_API Error cudaMemcpy2DToArray(Array* to, std::size_t x, std::size_t y, const void* from,
                                      std::size_t pitch, std::size_t width, std::size_t height,
                                      Copy kind) {
  const PublicCall named;
  return cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, nullptr);
}
MEMLANE_ALIAS(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray);
MEMLANE_API Error cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, const Array* from,
                                             std::size_t x, std::size_t y, std::size_t width,
                                             std::size_t height, Copy kind, StreamHandle stream) {
  return with_runtime([&](Runtime& all) {
    if (!comes_from_device(kind)) return Error::invalid_memcpy_direction;
    const Array* const array = find_array(all, from);
    const char* const place = place_in_array(array, x, y, width, height);
    if (!place) return Error::invalid_value;
    return copy_rows(all, to, pitch, place, pitch_of(*array), width, height, kind, stream);
  });
}
MEMLANE_ALIAS(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync);
MEMLANE_API Error cudaMemcpy2DFromArray(void* to, std::size_t pitch, const Array* from,
                                        std::size_t x, std::size_t y, std::size_t width,
                                        std::size_t height, Copy kind) {
  const PublicCall named;
  return cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, nullptr);
}
MEMLANE_ALIAS(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray);
MEMLANE_API Error cudaMemcpy2DArrayToArray(Array* to, std::size_t to_x, std::size_t to_y,
                                           const Array* from, std::size_t from_x,
                                           std::size_t from_y, std::size_t width,
                                           std::size_t height, Copy kind) {
  return with_runtime([&](Runtime& all) {
    if (!goes_to_device(kind) || !comes_from_device(kind)) return Error::invalid_memcpy_direction;
    const Array *const target = find_array(all, to), *const source = find_array(all, from);
    char* const to_place = place_in_array(target, to_x, to_y, width, height);
    const char* const from_place = place_in_array(source, from_x, from_y, width, height);
    if (!to_place || !from_place) return Error::invalid_value;
    return copy_rows(all, to_place, pitch_of(*target), from_place, pitch_of(*source), width, height,
                     kind, nullptr);
  });
}
MEMLANE_ALIAS(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray);

MEMLANE_API Error cudaMemcpyToArrayAsync(Array* to, std::size_t x, std::size_t y, const void* from,
                                         std::size_t bytes, Copy kind, StreamHandle stream) {
  return with_runtime([&](Runtime& all) {
    if (!goes_to_device(kind)) return Error::invalid_memcpy_direction;
    char* const place = bytes_of_array(find_array(all, to), x, y, bytes);
    return place ? copy_bytes(all, place, from, bytes, kind, stream) : Error::invalid_value;
  });
}
MEMLANE_ALIAS(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync);
MEMLANE_API Error cudaMemcpyToArray(Array* to, std::size_t x, std::size_t y, const void* from,
                                    std::size_t bytes, Copy kind) {
  const PublicCall named;
  return cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, nullptr);
}
MEMLANE_ALIAS(cudaMemcpyToArray_ptds, cudaMemcpyToArray);
MEMLANE_API Error cudaMemcpyFromArrayAsync(void* to, const Array* from, std::size_t x,
                                           std::size_t y, std::size_t bytes, Copy kind,
                                           StreamHandle stream) {
  return with_runtime([&](Runtime& all) {
    if (!comes_from_device(kind)) return Error::invalid_memcpy_direction;
    const char* const place = bytes_of_array(find_array(all, from), x, y, bytes);
    return place ? copy_bytes(all, to, place, bytes, kind, stream) : Error::invalid_value;
  });
}
MEMLANE_ALIAS(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync);
MEMLANE_API Error cudaMemcpyFromArray(void* to, const Array* from, std::size_t x, std::size_t y,
                                      std::size_t bytes, Copy kind) {
  const PublicCall named;
  return cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, nullptr);
}
MEMLANE_ALIAS(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray);

} // namespace memlane::cudart
