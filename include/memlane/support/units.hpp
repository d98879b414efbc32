// Quantities and ids as separate types, so that they cannot be mixed.
#pragma once

#include <compare>
#include <cstdint>

namespace memlane {

/// An integer that combines only with integers of its kind.
template <class Tag>
struct Strong {
  std::int64_t value = 0;

  constexpr auto operator<=>(const Strong&) const = default;
};

/// A time or duration in time units.
struct Cycles {
  std::int64_t value = 0;

  constexpr auto operator<=>(const Cycles&) const = default;
  constexpr Cycles& operator+=(Cycles other) {
    value += other.value;
    return *this;
  }
  friend constexpr Cycles operator+(Cycles a, Cycles b) { return {a.value + b.value}; }
  friend constexpr Cycles operator-(Cycles a, Cycles b) { return {a.value - b.value}; }
};

/// A word of a memory unit, from 0.
using Address = Strong<struct AddressTag>;
/// Bank i mod w of word i.
using BankId = Strong<struct BankTag>;
/// Address group floor(i / w) of word i.
using GroupId = Strong<struct GroupTag>;
/// A warp's index in its block.
using WarpId = Strong<struct WarpTag>;
/// A block's index in its launch.
using BlockId = Strong<struct BlockTag>;

} // namespace memlane
