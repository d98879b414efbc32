#include "memlane/support/base64.hpp"

#include <algorithm>
#include <cstddef>

namespace memlane {
namespace {

/// `last`: the letters of 62 and 63. Without padding.
std::string letters_of(std::string_view bytes, std::string_view last) {
  const std::string letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + std::string(last);
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k <= count; ++k) out += letters[group >> (18 - 6 * k) & 63];
  }
  return out;
}

} // namespace

std::string base64(std::string_view bytes) {
  std::string out = letters_of(bytes, "+/");
  out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

std::string base64url(std::string_view bytes) { return letters_of(bytes, "-_"); }

} // namespace memlane
