// printf's formats (C17, section 7.21.6.1), with arguments as nvcc puts them into a buffer.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace memlane::ptx {

/// The text that printf gives, at most about `most` bytes. `take(bytes)`: the next argument, of 4
/// or 8 bytes, aligned to them; `text(address)`: what a `%s` prints. Conversions that C does not
/// have are printed as they are; `%n` writes nothing.
std::string formatted(std::string_view format, std::size_t most,
                      const std::function<std::uint64_t(int bytes)>& take,
                      const std::function<std::string(std::uint64_t address)>& text);

} // namespace memlane::ptx
