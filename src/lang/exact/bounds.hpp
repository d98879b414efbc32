// Intervals of binary fractions: they enclose an irrational number as closely as asked.
#pragma once

#include "memlane/lang/exact/integers.hpp"

#include <optional>

namespace memlane::exact {

/// The number lies from low to high, both in units of 2^-bits; `bits` is the same for all operands
/// of an operation.
struct Bounds {
  Integer low, high;
};

/// n / d; requires d > 0.
Bounds bounds_of(const Integer& n, const Integer& d, unsigned bits);
Bounds add(const Bounds& a, const Bounds& b);
Bounds multiply(const Bounds& a, const Bounds& b, unsigned bits);
/// Empty if b may be 0.
std::optional<Bounds> divide(const Bounds& a, const Bounds& b, unsigned bits);
/// Empty if a may be 0 or negative. O(bits) squarings of 2 * bits bits.
std::optional<Bounds> log2(const Bounds& a, unsigned bits);
/// Empty if a may be negative.
std::optional<Bounds> sqrt(const Bounds& a, unsigned bits);
/// 2^a; empty if it has more than 2^17 bits. O(bits) square roots of 4 * bits bits.
std::optional<Bounds> exp2(const Bounds& a, unsigned bits);

} // namespace memlane::exact
