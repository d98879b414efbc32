// Quantities and ids that must not be mixed, as types of their own.
#pragma once

#include <compare>
#include <cstdint>

namespace memlane {

/// An integer that is only combined with integers of its own kind.
template <class Tag>
struct Strong {
  std::int64_t value = 0;

  constexpr auto operator<=>(const Strong&) const = default;
};

/// Time units, or a span of them.
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

/// A word of one memory unit, counted from its start.
using Address = Strong<struct AddressTag>;
/// Bank i mod w of word i.
using BankId = Strong<struct BankTag>;
/// Address group floor(i / w) of word i.
using GroupId = Strong<struct GroupTag>;
/// A warp's place in its block.
using WarpId = Strong<struct WarpTag>;
/// A block's place in its launch.
using BlockId = Strong<struct BlockTag>;

} // namespace memlane
