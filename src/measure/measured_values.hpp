// Times and rates in a line of measurements.
#pragma once

#include "memlane/support/json_fields.hpp"

#include <string_view>
#include <vector>

namespace memlane::measure {

/// Nanoseconds, cycles, megahertz: finite and above 0, within what arithmetic can square. 1 after a
/// problem.
double positive(JsonFields& fields, std::string_view key);
/// A list of at least one of them.
std::vector<double> positives(JsonFields& fields, std::string_view key);

} // namespace memlane::measure
