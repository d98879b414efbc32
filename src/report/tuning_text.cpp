#include "tuning_text.hpp"

#include "cells.hpp"

#include <fmt/format.h>

#include <cmath>

namespace memlane {

std::string shown(const std::optional<sweep::Objective>& number) {
  if (!number) return "";
  if (number->whole) return std::to_string(*number->whole);
  const double value = number->value;
  const double size = std::abs(value);
  if (size < 1 || size >= 1e15) return fmt::format("{:.6g}", value);
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  // A number that is not whole does not look as if it were.
  for (int digits = 2; digits < 6; ++digits)
    if (std::string text = fmt::format("{:.{}f}", value, digits); !text.ends_with("00"))
      return text;
  return fmt::format("{:.6f}", value);
}

sweep::Cell exact_cell(const std::optional<sweep::Objective>& number) {
  if (!number) return {};
  if (number->whole) return *number->whole;
  return number->value;
}

std::optional<double> ratio_to_naive(const TunedMachine& machine, const TunedRow& row,
                                     std::size_t measure) {
  const TunedRow* const naive = naive_row(machine);
  if (!naive || measure >= naive->measures.size() || measure >= row.measures.size())
    return std::nullopt;
  if (!naive->measures[measure] || !row.measures[measure]) return std::nullopt;
  return sweep::ratio_of(*naive->measures[measure], *row.measures[measure]);
}

std::optional<double> objective_ratio(const TunedMachine& machine, const TunedRow& row) {
  const TunedRow* const naive = naive_row(machine);
  if (!naive || !naive->objective || !row.objective) return std::nullopt;
  return sweep::ratio_of(*naive->objective, *row.objective);
}

std::string shown_ratio(const std::optional<double>& ratio) {
  return ratio ? ratio_cell(*ratio) : "";
}

std::string percent(double share) { return fmt::format("{:.3g} %", 100 * share); }

std::optional<std::size_t> place_of_measure(const TunedMachine& machine, std::string_view name) {
  for (std::size_t k = 0; k < machine.measures.size(); ++k)
    if (machine.measures[k].name == name) return k;
  return std::nullopt;
}

std::optional<std::size_t> least_row(const TunedMachine& machine, std::size_t measure) {
  std::optional<std::size_t> least;
  for (std::size_t k = 0; k < machine.rows.size(); ++k) {
    const TunedRow& row = machine.rows[k];
    if (row.state != TunedState::done || !row.measures.at(measure)) continue;
    if (!least || sweep::is_less(*row.measures[measure], *machine.rows[*least].measures[measure]))
      least = k;
  }
  return least;
}

} // namespace memlane
