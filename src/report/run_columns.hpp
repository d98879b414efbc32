// What the formats of a run are made from.
#pragma once

#include "columns.hpp"
#include "part_of.hpp"

#include "memlane/claim/claim.hpp"

namespace memlane {

/// What a T says of a program whose text is among the sources.
template <class T>
using Placed = PartOf<T, Sources>;

const Columns<Placed<ClaimOutcome>>& claim_columns();
/// A kernel and the counts of all its launches.
using NamedCounts = std::map<std::string, Counts>::value_type;
const Columns<NamedCounts>& kernel_columns();

} // namespace memlane
