// What the reports of one search, and of searches at several points, have in common.
#pragma once

#include "memlane/study/worst/worst_report.hpp"
#include "memlane/support/json_table.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memlane {

/// `greatest` or `least`.
std::string extreme(const WorstReport& report);

/// What each is about, and a sentence.
using Findings = std::vector<std::pair<std::string, std::string>>;

/// What is wrong, and what was not tried. `about`: also of claims about the count.
Findings problems_of(const WorstReport& report, bool about);

schema::Json worst_json(const WorstReport& report);
schema::Json schema_of_search(std::string_view what);

} // namespace memlane
