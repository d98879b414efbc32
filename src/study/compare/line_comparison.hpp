// Two runs side by side: their source lines, and where their time went.
#pragma once

#include "memlane/show/columns.hpp"
#include "memlane/show/run_columns.hpp"
#include "memlane/study/compare/comparison.hpp"

#include <string>

namespace memlane {

/// A pair of lines of two runs. The columns of a missing line are empty.
using ComparedLine = PartOf<sweep::LinePair, sweep::LineComparison>;
const Columns<ComparedLine>& compared_line_columns();

/// All pairs as JSON, and as a table with the sums over all lines.
const schema::Table<sweep::LineComparison>& line_comparison_table();
std::string compared_lines_text(const sweep::LineComparison& comparison);
PaperTable compared_lines_paper(const sweep::LineComparison& comparison);

/// Rows of causes that one of the runs has, and their sum: the runs' times.
const schema::Table<sweep::CauseComparison>& cause_comparison_table();
std::string compared_causes_text(const sweep::CauseComparison& comparison);
PaperTable compared_causes_paper(const sweep::CauseComparison& comparison);

} // namespace memlane
