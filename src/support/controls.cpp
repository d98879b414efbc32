#include "memlane/support/controls.hpp"

namespace memlane {

bool is_control(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
  if (character.size() == 2) return byte(0) == 0xc2 && byte(1) < 0xa0;
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

} // namespace memlane
