// The layout of cudaDeviceProp, for the test that holds it against CUDA's.
#pragma once

#include <cstddef>
#include <string_view>

namespace memlane::cudart {

/// Of CUDA 12's or 13's; of a name that it does not have: the size of all.
std::size_t offset_of_property(std::string_view name, int version);

} // namespace memlane::cudart
