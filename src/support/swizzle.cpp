#include "memlane/support/swizzle.hpp"

#include <fmt/format.h>

namespace memlane {

std::string problem_of(const Swizzle& swizzle) {
  const auto [bits, base, shift] = swizzle;
  if (bits < 1) return fmt::format("B is {}: give 1 or more", bits);
  if (base < 0) return fmt::format("M is {}: give 0 or more", base);
  if (shift < bits) return fmt::format("S is {}: give B = {} or more", shift, bits);
  // One at a time: their sum may overflow.
  constexpr std::int64_t most = Swizzle::most_bits;
  if (shift > most || base > most || bits + base + shift > most)
    return fmt::format("B + M + S is more than {}, the bits of a word's number", most);
  return "";
}

} // namespace memlane
