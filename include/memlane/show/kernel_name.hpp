// Names of kernels where there is little room: templates have names of thousands of characters.
#pragma once

#include <cstddef>
#include <string>

namespace memlane {

/// The name of a function in at most `width` columns: where it is wider, without the type of its
/// result and the scopes that it is in, and cut in the middle where that is not enough.
std::string name_in_width(const std::string& name, std::size_t width);

} // namespace memlane
