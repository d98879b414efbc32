// A launch that is written as a text, made ready for a device.
#pragma once

#include "memlane/kernels/launch_text.hpp"
#include "memlane/ptx/device.hpp"
#include "memlane/support/result.hpp"

#include <cstdint>
#include <functional>

namespace memlane {

/// Where the array is that an argument names, or makes. Errors: there is none of this name.
using ArrayAddress = std::function<Result<std::uint64_t>(const ArgumentText&)>;

/// The kernel may be written by its own name alone, without namespace and types, if no other has
/// it. Errors, at their places: no such kernel, other numbers or types of arguments.
Result<ptx::Launch> launch_of(const ptx::Device& device, const LaunchText& text,
                              const ArrayAddress& address);

} // namespace memlane
