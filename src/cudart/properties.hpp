// What cudaDeviceProp has, and its layout.
#pragma once

#include "memlane/ptx/device.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace memlane::cudart {

/// Of CUDA 12's or 13's; of a name that it does not have: the size of all.
std::size_t offset_of_property(std::string_view name, int version);

/// The values of a property; zeros: the device has none.
std::array<std::int64_t, 3> property_of(const ptx::DeviceProperties& has, std::string_view name);

} // namespace memlane::cudart
