// Objects through which kernels read textures, and read and write surfaces.
#include "runtime.hpp"

#include <fmt/format.h>

namespace memlane::cudart {

namespace {

constexpr int array_resource = 0, mipmapped_resource = 1, linear_resource = 2, pitched_resource = 3;
constexpr unsigned for_surfaces = 2; // cudaArraySurfaceLoadStore

/// Of memory with texels row by row, whole.
Error texels_in_memory(Runtime& all, const void* memory, const ChannelFormat& format,
                       std::size_t width, std::size_t height, std::size_t pitch,
                       ptx::TexelArray& texels) {
  const std::optional<ptx::TexelFormat> texel = texel_format_of(format);
  if (!texel || width == 0 || height == 0 || width > SIZE_MAX >> 8) return Error::invalid_value;
  const std::size_t row = width * static_cast<std::size_t>(texel->bytes());
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  const auto align = static_cast<std::uint64_t>(all.device.properties().texture_align);
  if (address % align != 0)
    return all.fail(Error::invalid_value,
                    fmt::format("the address of its memory is no multiple of {} bytes "
                                "(textureAlignment)",
                                align));
  if ((height > 1 && pitch < row) || pitch > SIZE_MAX / height) return Error::invalid_value;
  if (!is_device_memory(all, memory, (height - 1) * pitch + row)) return Error::invalid_value;
  texels.address = address;
  texels.format = *texel;
  texels.extent = {static_cast<std::int64_t>(width), static_cast<std::int64_t>(height), 1};
  texels.row_bytes = static_cast<std::int64_t>(pitch);
  texels.slice_bytes = texels.row_bytes * texels.extent[1];
  return Error::success;
}

Error texels_of(Runtime& all, const ResourceDescription& resource, ptx::TexelArray& texels) {
  switch (resource.type) {
  case array_resource: {
    const Array* const array = find_array(all, resource.pointer);
    if (!array) return Error::invalid_value;
    texels = array->texels;
    return Error::success;
  }
  case linear_resource: {
    const std::optional<ptx::TexelFormat> texel = texel_format_of(resource.format);
    if (!texel) return Error::invalid_value;
    const std::size_t count = resource.width / static_cast<std::size_t>(texel->bytes());
    return texels_in_memory(all, resource.pointer, resource.format, count, 1, resource.width,
                            texels);
  }
  case pitched_resource: {
    const auto align = static_cast<std::size_t>(all.device.properties().texture_pitch_align);
    if (resource.pitch % align != 0)
      return all.fail(Error::invalid_value,
                      fmt::format("its pitch of {} bytes is no multiple of {} "
                                  "(texturePitchAlignment)",
                                  resource.pitch, align));
    return texels_in_memory(all, resource.pointer, resource.format, resource.width, resource.height,
                            resource.pitch, texels);
  }
  case mipmapped_resource:
    say("error: memlane has no mipmapped arrays: give the texture an array of one level");
    return Error::not_supported;
  default: return Error::invalid_value;
  }
}

Error sampler_of(const TextureDescription& texture, bool is_linear_memory,
                 const ptx::TexelFormat& format, ptx::Sampler& sampler) {
  const auto is_one_of = [](int value, int count) { return value >= 0 && value < count; };
  for (const int mode : texture.addressing)
    if (!is_one_of(mode, 4)) return Error::invalid_value;
  if (!is_one_of(texture.filter, 2) || !is_one_of(texture.read_mode, 2))
    return Error::invalid_value;
  if (texture.srgb != 0) {
    say("error: memlane does not read textures as sRGB");
    return Error::not_supported;
  }
  sampler.normalizes_values = texture.read_mode == 1;
  // What is fetched by its number has neither means nor borders of its own.
  if (is_linear_memory) {
    sampler.addressing.fill(ptx::Addressing::border);
    return Error::success;
  }
  for (std::size_t k = 0; k < 3; ++k) {
    sampler.addressing[k] = static_cast<ptx::Addressing>(texture.addressing[k]);
    sampler.border[k] = texture.border[k];
  }
  sampler.border[3] = texture.border[3];
  sampler.is_linear = texture.filter == 1;
  sampler.has_normalized_places = texture.has_normalized_places != 0;
  const bool has_means =
      format.kind == ptx::ChannelKind::floating || (sampler.normalizes_values && format.bits < 32);
  return sampler.is_linear && !has_means ? Error::invalid_value : Error::success;
}

Error make_object(Runtime& all, std::uint64_t* number, const ResourceDescription* resource,
                  const TextureDescription* texture) {
  MadeObject made;
  ptx::TextureObject object;
  made.resource = *resource;
  if (const Error error = texels_of(all, *resource, object.texels); error != Error::success)
    return error;
  if (texture) {
    made.texture = *texture;
    const Error error = sampler_of(*texture, resource->type == linear_resource,
                                   object.texels.format, object.sampler.emplace());
    if (error != Error::success) return error;
  }
  *number = all.device.objects().add(object);
  all.objects[*number] = made;
  return Error::success;
}

/// Null: there is no such object, or it is one of the other kind.
const MadeObject* find_object(const Runtime& all, std::uint64_t number, bool is_texture) {
  const auto found = all.objects.find(number);
  return found != all.objects.end() && found->second.texture.has_value() == is_texture
             ? &found->second
             : nullptr;
}

Error destroy(Runtime& all, std::uint64_t number, bool is_texture) {
  if (!find_object(all, number, is_texture)) return Error::invalid_value;
  all.device.objects().remove(number);
  all.objects.erase(number);
  return Error::success;
}

Error give_resource(const Runtime& all, ResourceDescription* into, std::uint64_t number,
                    bool is_texture) {
  const MadeObject* const object = find_object(all, number, is_texture);
  if (!object || !into) return Error::invalid_value;
  *into = object->resource;
  return Error::success;
}

} // namespace

MEMLANE_API Error cudaCreateTextureObject(std::uint64_t* number,
                                          const ResourceDescription* resource,
                                          const TextureDescription* texture, const void* view) {
  return with_runtime([&](Runtime& all) {
    if (!number || !resource || !texture) return Error::invalid_value;
    if (view) {
      say("error: memlane has no views of resources: give cudaCreateTextureObject null");
      return Error::not_supported;
    }
    return make_object(all, number, resource, texture);
  });
}
MEMLANE_API Error cudaDestroyTextureObject(std::uint64_t number) {
  return with_runtime([&](Runtime& all) { return destroy(all, number, true); });
}
MEMLANE_API Error cudaGetTextureObjectResourceDesc(ResourceDescription* into,
                                                   std::uint64_t number) {
  return with_runtime([&](Runtime& all) { return give_resource(all, into, number, true); });
}
MEMLANE_API Error cudaGetTextureObjectTextureDesc(TextureDescription* into, std::uint64_t number) {
  return with_runtime([&](Runtime& all) {
    const MadeObject* const object = find_object(all, number, true);
    if (!object || !into) return Error::invalid_value;
    *into = *object->texture;
    return Error::success;
  });
}
MEMLANE_API Error cudaCreateSurfaceObject(std::uint64_t* number,
                                          const ResourceDescription* resource) {
  return with_runtime([&](Runtime& all) {
    if (!number || !resource || resource->type != array_resource) return Error::invalid_value;
    const Array* const array = find_array(all, resource->pointer);
    if (!array || (array->flags & for_surfaces) == 0) return Error::invalid_value;
    return make_object(all, number, resource, nullptr);
  });
}
MEMLANE_API Error cudaDestroySurfaceObject(std::uint64_t number) {
  return with_runtime([&](Runtime& all) { return destroy(all, number, false); });
}
MEMLANE_API Error cudaGetSurfaceObjectResourceDesc(ResourceDescription* into,
                                                   std::uint64_t number) {
  return with_runtime([&](Runtime& all) { return give_resource(all, into, number, false); });
}

} // namespace memlane::cudart
