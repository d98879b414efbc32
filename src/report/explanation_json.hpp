// The explanation of a run and its changed runs as JSON.
#pragma once

#include "memlane/support/json_table.hpp"
#include "memlane/sweep/explanation.hpp"
#include "memlane/sweep/tried_change.hpp"

namespace memlane {

const schema::Table<sweep::Explanation>& explanation_table();
const schema::Table<sweep::TriedChange>& tried_change_table();

} // namespace memlane
