#include "memlane/study/results/cell_numbers.hpp"

#include <fmt/format.h>

#include <cmath>

namespace memlane {

using exact::Number;

std::optional<Number> exact_number(const sweep::Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return Number(*whole);
  const auto* real = std::get_if<double>(&cell);
  return real && std::isfinite(*real) ? std::optional(Number::decimal(*real)) : std::nullopt;
}

sweep::Cell cell_of_number(const Number& number) {
  if (const auto small = number.small()) return *small;
  return number.to_double();
}

Diagnostic text_in_formula(const std::string& option, const std::string& column) {
  return error_in(option, fmt::format("'{}' is text, not a number", column),
                  {"columns of text have no formulas"});
}

} // namespace memlane
