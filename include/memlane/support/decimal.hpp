// Decimal numbers of files, kept exactly.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memlane {

/// A number with up to six decimals, exactly.
struct Decimal {
  static constexpr int decimals = 6;
  static constexpr std::int64_t one = 1000000;

  std::int64_t millionths = 0;

  static constexpr Decimal of(std::int64_t whole) { return {whole * one}; }
  constexpr auto operator<=>(const Decimal&) const = default;
};

/// `2.5` or `3`: digits, and perhaps a point with one to six digits behind it, without a leading
/// zero before another digit. None: another text, or a number of 10^9 or more.
std::optional<Decimal> decimal_of(std::string_view text);
/// `2.5`, `3`: as decimal_of reads it, without zeros at the end.
std::string text_of(Decimal number);
/// count x factor, rounded up to a whole number. Requires a count from 0 and a product below 2^62.
constexpr std::int64_t times_rounded_up(std::int64_t count, Decimal factor) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>(
      (static_cast<Wide>(count) * factor.millionths + Decimal::one - 1) / Decimal::one);
}

} // namespace memlane
