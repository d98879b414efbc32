// How numbers and findings about measurements are said, in tables and pages alike.
#pragma once

#include "memlane/study/gpu/compare.hpp"
#include "memlane/support/text.hpp"

#include <string>
#include <vector>

namespace memlane {

std::string optional_number(const std::optional<double>& value);

/// A share as a percentage, with its sign where it is an error.
std::string percent_text(double share);
/// What a time unit and a launch take, and what that rests on.
std::string costs_sentence(const measure::FittedCosts& costs);

/// The findings about the order of algorithms, a sentence each.
std::vector<std::string> order_sentences(const measure::Ordering& ordering);
std::string inversion_sentence(const measure::Inversion& inversion);
std::string crossing_sentence(const measure::Crossing& crossing);

} // namespace memlane
