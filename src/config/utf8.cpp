#include "utf8.hpp"

namespace memlane {
namespace {

std::uint32_t byte_at(std::string_view text, std::size_t offset) {
  return static_cast<unsigned char>(text[offset]);
}

} // namespace

std::size_t utf8_length(std::string_view text, std::size_t offset) {
  const std::uint32_t first = byte_at(text, offset);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || offset + length > text.size()) return 0;

  std::uint32_t code_point = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const std::uint32_t next = byte_at(text, offset + i);
    if ((next & 0xc0u) != 0x80u) return 0;
    code_point = code_point << 6 | (next & 0x3fu);
  }
  const std::uint32_t least = length == 2 ? 0x80u : length == 3 ? 0x800u : 0x10000u;
  const bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
  return code_point < least || code_point > 0x10ffff || surrogate ? 0 : length;
}

void append_utf8(std::string& text, std::uint32_t code_point) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xc0u | code_point >> 6);
    put(0x80u | (code_point & 0x3fu));
  } else if (code_point < 0x10000) {
    put(0xe0u | code_point >> 12);
    put(0x80u | (code_point >> 6 & 0x3fu));
    put(0x80u | (code_point & 0x3fu));
  } else {
    put(0xf0u | code_point >> 18);
    put(0x80u | (code_point >> 12 & 0x3fu));
    put(0x80u | (code_point >> 6 & 0x3fu));
    put(0x80u | (code_point & 0x3fu));
  }
}

} // namespace memlane
