// The XOR swizzle of words (programs/README.md, "Layouts").
#pragma once

#include <cstdint>
#include <string>

namespace memlane {

/// The XOR swizzle of CUTLASS (`Swizzle<BBits, MBase, SShift>` of cute/swizzle.hpp): word i becomes
/// i xor ((i >> shift) & mask()). The bits that change lie below those that are read, so the
/// swizzle is its own inverse, and no word leaves its tile of 2^(base + bits) words.
struct Swizzle {
  std::int64_t bits = 1;  ///< B >= 1: bits that change
  std::int64_t base = 0;  ///< M >= 0: the lowest of these
  std::int64_t shift = 1; ///< S >= B: from the bits that are read down to those that change

  /// Bits of a word's number, as in CUTLASS: B + M + S may not exceed it.
  static constexpr std::int64_t most_bits = 31;

  std::int64_t mask() const { return ((std::int64_t{1} << bits) - 1) << base; }
  std::int64_t tile() const { return std::int64_t{1} << (base + bits); }
  std::int64_t word(std::int64_t i) const { return i ^ ((i >> shift) & mask()); }
  bool operator==(const Swizzle&) const = default;
};

/// What is wrong with the numbers of a swizzle, as "B is 0: give 1 or more"; empty: nothing.
std::string problem_of(const Swizzle& swizzle);

} // namespace memlane
