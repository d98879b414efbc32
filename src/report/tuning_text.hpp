// Numbers and values of tunings as texts.
#pragma once

#include "memlane/report/tuning.hpp"

#include <optional>
#include <string>

namespace memlane {

/// For people: all digits of a whole number, six of others; nothing of none.
std::string shown(const std::optional<sweep::Objective>& number);
/// For programs: no digit is lost.
sweep::Cell exact_cell(const std::optional<sweep::Objective>& number);
/// naive/value of a measure: above 1 the value is better. None where one of them has no number.
std::optional<double> ratio_to_naive(const TunedMachine& machine, const TunedRow& row,
                                     std::size_t measure);
std::optional<double> objective_ratio(const TunedMachine& machine, const TunedRow& row);
/// A ratio with four digits; nothing of none.
std::string shown_ratio(const std::optional<double>& ratio);
/// What --format json prints.
std::string tuning_json_text(const TuningReport& report);
/// `12.2 %`.
std::string percent(double share);

} // namespace memlane
