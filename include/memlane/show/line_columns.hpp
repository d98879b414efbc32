// The source lines of a run and their counts.
#pragma once

#include "memlane/show/columns.hpp"
#include "memlane/show/counted_lines.hpp"

namespace memlane {

inline constexpr std::size_t widest_source = 58; ///< columns of a source line in a table

/// A line within the JSON of what mentions it.
const schema::Table<CountedLine>& counted_line_table();
const Columns<CountedLine>& line_columns();

} // namespace memlane
