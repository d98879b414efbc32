// Times, rates and sizes in a line of measurements.
#pragma once

#include "memlane/support/json_fields.hpp"

#include <string_view>
#include <vector>

namespace memlane::measure {

/// A number from 1e-3 to 1e18; 1 after a problem.
double positive(JsonFields& fields, std::string_view key);
/// A list of at least one such number.
std::vector<double> positives(JsonFields& fields, std::string_view key);

extern const char* const skipped_help;

} // namespace memlane::measure
