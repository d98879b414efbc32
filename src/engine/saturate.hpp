// Saturating arithmetic: a run of 10^18 time units ends at its limit instead of overflowing.
#pragma once

#include "memlane/support/units.hpp"

#include <cstdint>

namespace memlane::reference {

/// Later than every limit of time; saturated times have this value.
constexpr Cycles never{INT64_MAX};

/// Both functions require values that are not negative.
constexpr std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  return a > INT64_MAX - b ? INT64_MAX : a + b;
}
constexpr std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  return a != 0 && b > INT64_MAX / a ? INT64_MAX : a * b;
}
constexpr Cycles later(Cycles time, Cycles span) {
  return {saturating_add(time.value, span.value)};
}

/// a / b, rounded up; requires a >= 0, b > 0.
constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

} // namespace memlane::reference
