#include "store_bytes.hpp"

#include "memlane/support/sha256.hpp"

namespace memlane::sweep {
namespace {

int value_of_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

} // namespace

std::optional<std::string> bytes_of_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = value_of_digit(digits[i]), low = value_of_digit(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(static_cast<unsigned char>(high * 16 + low));
  }
  return bytes;
}

std::string short_hash(std::string_view text) {
  return *bytes_of_hex(std::string_view(sha256(text)).substr(0, 32));
}

} // namespace memlane::sweep
