#include "memlane/support/base64.hpp"

#include <algorithm>
#include <cstddef>

namespace memlane {
namespace {

constexpr std::string_view first_letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// `last`: the letters of 62 and 63. Without padding.
std::string letters_of(std::string_view bytes, std::string_view last) {
  const std::string letters = std::string(first_letters) + std::string(last);
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

std::optional<std::string> bytes_of_base64url(std::string_view letters) {
  if (letters.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  bytes.reserve(letters.size() / 4 * 3 + 2);
  unsigned group = 0, bits = 0; // of `group`, the last ones are not yet in the bytes
  for (const char letter : letters) {
    const std::size_t known = first_letters.find(letter);
    if (known == std::string_view::npos && letter != '-' && letter != '_') return std::nullopt;
    const unsigned value = known != std::string_view::npos ? static_cast<unsigned>(known)
                           : letter == '-'                 ? 62
                                                           : 63;
    group = (group << 6 | value) & 0xFFFF;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 255);
  }
  if ((group & ((1U << bits) - 1)) != 0) return std::nullopt; // bits that no byte has
  return bytes;
}

} // namespace memlane
