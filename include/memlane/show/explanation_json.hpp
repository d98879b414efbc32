// Members that the JSON of explanations has, and of comparisons of explained runs.
#pragma once

#include "memlane/show/account.hpp"
#include "memlane/support/json_table.hpp"

#include <string_view>

namespace memlane {

/// `global` or `shared`.
constexpr std::string_view name_of_unit(UnitId unit) {
  return unit == UnitId::global ? "global" : "shared";
}
schema::Json unit_schema();
/// A member for each cause.
const schema::Table<TimeByCause>& cause_table();
const schema::Table<ExplainedUnit>& explained_unit_table();
const schema::Table<CostlyLine>& costly_line_table();

} // namespace memlane
