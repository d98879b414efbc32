#include "memlane/support/utf8.hpp"

namespace memlane {

std::size_t character_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool outside = (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf4 && byte(1) > 0x8f);
  return overlong || outside ? 0 : length;
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

bool is_control(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
  if (character.size() == 2)
    return (byte(0) == 0xc2 && byte(1) < 0xa0) || (byte(0) == 0xd8 && byte(1) == 0x9c);
  if (character.size() != 3 || byte(0) != 0xe2) return false;
  const int last = byte(2);
  if (byte(1) == 0x80) return last == 0x8e || last == 0x8f || (last >= 0xa8 && last <= 0xae);
  return byte(1) == 0x81 && last >= 0xa6 && last <= 0xa9;
}

bool has_control(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    for (std::size_t size = 1; size <= 3; ++size)
      if (is_control(text.substr(at, size))) return true;
  return false;
}

namespace {

constexpr char digits[] = "0123456789abcdef";

std::string byte_escape(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return {'\\', 'x', digits[value >> 4], digits[value & 15]};
}

/// Of a control character: all of them have code points below 2^16.
std::string escape_of(std::string_view character) {
  if (character == "\n") return "\\n";
  if (character == "\t") return "\\t";
  if (character == "\r") return "\\r";
  if (character.size() == 1) return byte_escape(character[0]);
  unsigned point = static_cast<unsigned char>(character[0]) & (character.size() == 2 ? 0x1f : 0x0f);
  for (const char byte : character.substr(1))
    point = point << 6 | (static_cast<unsigned char>(byte) & 0x3f);
  std::string text = "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) text += digits[point >> shift & 15];
  return text;
}

} // namespace

std::string escape_controls(std::string_view text, std::string_view keep) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    if (length == 0)
      out += byte_escape(character[0]);
    else if (is_control(character) && keep.find(character) == std::string_view::npos)
      out += escape_of(character);
    else
      out += character;
    text.remove_prefix(character.size());
  }
  return out;
}

} // namespace memlane
