// How wide people's terminals are.
#pragma once

#include <cstddef>

namespace memlane {

/// Columns of the terminal that a descriptor is, or 80; at least 2.
std::size_t columns_of(int descriptor);

} // namespace memlane
