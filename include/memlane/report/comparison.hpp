// Several programs on several machines, as people and programs read them.
#pragma once

#include "memlane/report/paper_table.hpp"
#include "memlane/report/run_report.hpp"
#include "memlane/sweep/comparison.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace memlane {

using sweep::CountedLine;
using sweep::LineComparison;
using sweep::LinePair;

/// The global unit and all shared ones as one: sums.
UnitCounts all_units(const Counts& counts);

nlohmann::ordered_json comparison_json(const sweep::Comparison& comparison);
/// The schemas of `--format json` and of a line of `--format jsonl`.
nlohmann::ordered_json comparison_schema();
nlohmann::ordered_json comparison_line_schema();
/// Any of the formats, ending with a line end. jsonl: a row a line. With `lines`, csv and jsonl
/// have these in the place of the rows.
std::string render_comparison(const sweep::Comparison& comparison, Format format);

std::string line_table(const LineComparison& comparison);
PaperTable line_paper(const LineComparison& comparison);
/// A heading and a row a line; the columns of a missing line are empty.
std::string line_csv(const LineComparison& comparison);
nlohmann::ordered_json line_json(const LineComparison& comparison);
nlohmann::ordered_json line_json(const LinePair& pair);
/// Their schemas, as parts of others.
nlohmann::ordered_json line_comparison_schema();
nlohmann::ordered_json line_pair_schema();

} // namespace memlane
