// Layouts of arrays by name, and the maps of those that are computed from a number: the XOR
// swizzle, a linear map of bits, strides (programs/README.md, "Layouts").
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memlane {

enum class LayoutKind : std::uint8_t {
  rows,
  padded,
  diagonal,
  random_shift,
  random_permute,
  swizzle,
  bits,
  strides,
  function ///< a fn of the program says each element's word
};
/// The word after `layout` in a program, where a program writes its fn's name for `function`.
std::string_view name_of(LayoutKind layout);
/// The layout of this name that is no function; nothing: there is none.
std::optional<LayoutKind> layout_named(std::string_view name);
/// The built-in layouts, in the order of programs/README.md.
std::span<const LayoutKind> built_in_layouts();
/// Names of the arguments that a program writes, as `B, M, S`; empty: the layout has none.
std::string_view parameters_of(LayoutKind layout);
/// All built-in layouts as programs write them: `rows, padded(k), ...`.
std::string layouts_in_words();

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

/// A linear map over F2 of the bits of a word's number: word 2^j becomes columns[j], any other the
/// xor of those of its bits. Bits from the number of columns on stay as they are, so that no word
/// leaves its tile.
struct BitMap {
  std::vector<std::int64_t> columns;

  static constexpr std::size_t most_bits = 31; ///< as of a swizzle

  std::int64_t tile() const { return std::int64_t{1} << columns.size(); }
  std::int64_t word(std::int64_t i) const {
    std::int64_t at = i & -tile();
    for (std::size_t j = 0; j < columns.size(); ++j)
      if ((i >> j & 1) != 0) at ^= columns[j];
    return at;
  }
  bool operator==(const BitMap&) const = default;
};

/// Why a map is none of the words of a tile onto each other, as "elements 4 and 3 lie at the same
/// word 3"; empty: it is one.
std::string problem_of(const BitMap& map);

/// Words that a map takes together as terms `((i >> shift) & mask)`, to be combined by xor; of a
/// negative shift `((i << -shift) & mask)`. By their shifts, at most 2 * columns - 1.
struct ShiftedBits {
  std::int64_t shift = 0, mask = 0;
};
std::vector<ShiftedBits> shifted_bits(const BitMap& map);

/// A layout of CuTe: an element's number is taken apart into digits, and each goes its own stride.
struct StrideMap {
  struct Digit {
    std::int64_t size = 1, stride = 0;
    bool operator==(const Digit&) const = default;
  };
  std::vector<Digit> digits; ///< of a row-major number, the lowest first

  /// The highest digit takes what is left.
  std::int64_t word(std::int64_t i) const {
    std::int64_t at = 0;
    for (std::size_t k = 0; k + 1 < digits.size(); ++k) {
      at += i % digits[k].size * digits[k].stride;
      i /= digits[k].size;
    }
    return digits.empty() ? at : at + i * digits.back().stride;
  }
  /// Elements that one step of the highest digit passes.
  std::int64_t period() const;
  /// Words up to the last one that an element has, saturating.
  std::int64_t footprint() const;
  bool operator==(const StrideMap&) const = default;
};

/// Two elements at the same word, the later one first; nothing: there are none. `undecided`, if
/// that takes too many steps. Requires sizes and strides that a run checks: no negative ones.
struct Overlap {
  std::int64_t later = 0, earlier = 0;
  bool undecided = false;
};
std::optional<Overlap> overlap_of(const StrideMap& map);

} // namespace memlane
