// Where the time of two runs went, side by side.
#pragma once

#include "memlane/show/columns.hpp"
#include "memlane/study/explain/tried_change.hpp"

#include <string>

namespace memlane {

/// Rows of causes that one of the runs has, and their sum: the runs' times.
std::string compared_causes_text(const sweep::CauseComparison& comparison);
PaperTable compared_causes_paper(const sweep::CauseComparison& comparison);

} // namespace memlane
