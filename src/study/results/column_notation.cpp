#include "column_notation.hpp"

#include "memlane/study/results/stored_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace memlane {

void ColumnNotation::hold(const sweep::Cell& cell) {
  const auto number = sweep::number_in(cell);
  if (!number || !std::isfinite(*number)) return;
  const bool is_real = std::holds_alternative<double>(cell);
  has_real_ = has_real_ || is_real;
  greatest_ = std::max(greatest_, std::abs(*number));
  if (is_real && *number != 0) least_ = std::min(least_, std::abs(*number));
  const std::string text = fmt::format("{:.{}e}", *number, digits_ - 1); // -1.2500e-05
  const std::size_t exponent = text.find('e');
  const std::size_t last = text.find_last_not_of('0', exponent - 1), point = text.find('.');
  const int needed = point == text.npos ? 0 : static_cast<int>(last - std::min(last, point));
  mantissa_ = std::max(mantissa_, needed);
  decimals_ = std::max(decimals_, needed - std::stoi(text.substr(exponent + 1)));
}

int ColumnNotation::decimals() const {
  constexpr int digits_of_least = 4;
  const auto exponent_of = [](double magnitude) {
    return magnitude > 0 && std::isfinite(magnitude)
               ? static_cast<int>(std::floor(std::log10(magnitude)))
               : 0;
  };
  const int room =
      std::max(digits_ - 1 - exponent_of(greatest_), digits_of_least - 1 - exponent_of(least_));
  return std::clamp(room, 0, decimals_);
}

std::string ColumnNotation::text(const sweep::Cell& cell) const {
  const auto number = sweep::number_in(cell);
  if (!number || !has_real_) return cell_text(cell);
  if (!std::isfinite(*number)) return fmt::format("{}", *number);
  constexpr double most_exact = 9007199254740992; // 2^53
  const int most_decimals = digits_ + 3;
  if (greatest_ > most_exact || decimals() > most_decimals)
    return fmt::format("{:.{}e}", *number, mantissa_);
  return fmt::format("{:.{}f}", *number, decimals());
}

} // namespace memlane
