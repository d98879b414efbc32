// Layouts of arrays by name, and the XOR swizzle of words (programs/README.md, "Layouts").
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace memlane {

enum class LayoutKind : std::uint8_t {
  rows,
  padded,
  diagonal,
  random_shift,
  random_permute,
  swizzle,
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

} // namespace memlane
