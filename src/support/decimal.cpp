#include "memlane/support/decimal.hpp"

#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane {

namespace {

constexpr std::size_t most_digits = 9; ///< before the point

bool are_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

std::optional<Decimal> decimal_of(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string decimals;
  if (point != std::string_view::npos) {
    decimals = text.substr(point + 1);
    if (decimals.empty() || decimals.size() > Decimal::decimals) return std::nullopt;
  }
  if (whole.empty() || whole.size() > most_digits || !are_digits(whole) || !are_digits(decimals) ||
      (whole.size() > 1 && whole.front() == '0'))
    return std::nullopt;
  decimals.resize(Decimal::decimals, '0');
  return Decimal{*number_of<std::int64_t>(whole) * Decimal::one +
                 *number_of<std::int64_t>(decimals)};
}

std::string text_of(Decimal number) {
  std::string text =
      fmt::format("{}.{:06}", number.millionths / Decimal::one, number.millionths % Decimal::one);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

} // namespace memlane
