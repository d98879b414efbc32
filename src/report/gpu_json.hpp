// Members that the JSON of measurements and of fits has.
#pragma once

#include "cells.hpp"

#include "memlane/measure/fit.hpp"
#include "memlane/report/json_parts.hpp"

namespace memlane {

/// An estimated value and how certain it is.
std::vector<schema::Member<measure::Estimate>> estimate_members();

} // namespace memlane
