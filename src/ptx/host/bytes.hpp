// Numbers in files: every one is checked to be inside before it is read.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace memlane::ptx {

/// Whether [at, at + count) is inside of so many bytes. No sum can overflow.
inline bool is_inside(std::uint64_t at, std::uint64_t count, std::uint64_t bytes) {
  return at <= bytes && count <= bytes - at;
}

/// The number at an offset. Requires it to be inside.
template <class T>
T number_at(std::string_view bytes, std::uint64_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

/// The text up to the next zero, or to the end; empty if it begins outside.
inline std::string_view text_at(std::string_view bytes, std::uint64_t at) {
  if (at >= bytes.size()) return {};
  const std::string_view rest = bytes.substr(at);
  return rest.substr(0, rest.find('\0'));
}

} // namespace memlane::ptx
