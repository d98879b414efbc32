// Several programs on several machines, as people and programs read them.
#pragma once

#include "memlane/show/run_report.hpp"
#include "memlane/study/compare/comparison.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace memlane {

/// The global unit and all shared ones as one: sums.
UnitCounts all_units(const Counts& counts);

nlohmann::ordered_json comparison_json(const sweep::Comparison& comparison);
/// The schemas of `--format json` and of a line of `--format jsonl`.
nlohmann::ordered_json comparison_schema();
nlohmann::ordered_json comparison_line_schema();
/// Any of the formats, ending with a line end. jsonl: a row a line. With `lines`, csv and jsonl
/// have these in the place of the rows.
std::string render_comparison(const sweep::Comparison& comparison, Format format);

} // namespace memlane
