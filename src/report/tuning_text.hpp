// Numbers and values of tunings as texts.
#pragma once

#include "memlane/report/tuning.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace memlane {

/// For people: all digits of a whole number; others with two decimals, more where these are zeros,
/// and six digits of one below 1; nothing of none.
std::string shown(const std::optional<sweep::Objective>& number);
/// For programs: no digit is lost.
sweep::Cell exact_cell(const std::optional<sweep::Objective>& number);
/// naive/value of a measure: above 1 the value is better. None where one of them has no number.
std::optional<double> ratio_to_naive(const TunedMachine& machine, const TunedRow& row,
                                     std::size_t measure);
std::optional<double> objective_ratio(const TunedMachine& machine, const TunedRow& row);
/// A ratio with four digits; nothing of none.
std::string shown_ratio(const std::optional<double>& ratio);
/// The number of a measure of this name; none on models without it.
std::optional<std::size_t> place_of_measure(const TunedMachine& machine, std::string_view name);
/// The first row with the least of a measure among those that can be chosen.
std::optional<std::size_t> least_row(const TunedMachine& machine, std::size_t measure);
/// What the strategy of the MMM paper takes; empty on other models, and where overhead does not
/// vary.
std::string strategy_sentence(const TuningReport& report, const TunedMachine& machine);
/// What --format json prints.
std::string tuning_json_text(const TuningReport& report);
/// `12.2 %`.
std::string percent(double share);

} // namespace memlane
