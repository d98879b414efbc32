// Races that a run continued after: what raced where, and how often.
#pragma once

#include "columns.hpp"
#include "run_columns.hpp"

#include "memlane/engine/outcome.hpp"

#include <string>

namespace memlane {

/// A row for each array and pair of lines.
const Columns<Placed<RacePair>>& race_columns();

/// The rows as a text table, most races first, at most 16 of them.
std::string races_text(const RaceCounts& races, const Sources& sources);

} // namespace memlane
