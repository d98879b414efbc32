// Several programs on several machines, side by side.
#pragma once

#include "memlane/count/hiding.hpp"
#include "memlane/report/line_differences.hpp"
#include "memlane/report/run_report.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace memlane {

/// How far a program came on a machine.
enum class Ran { done, cannot_run, error, stopped };
/// `done`, `cannot_run`, `error`, `stopped`.
std::string_view name_of(Ran ran);

/// Whether the final arrays are those of the first run that came to its end; none: not compared.
enum class SameResults { none, equal, different };
/// `none`, `equal`, `different`.
std::string_view name_of(SameResults results);

/// One program on one machine.
struct ComparisonRow {
  std::string program, machine; ///< as they were asked for
  ProgramInfo info;
  Ran ran = Ran::done;
  std::string reason;     ///< why it is not done, or which word of the results differs
  Counts counts;          ///< as far as it ran
  std::int64_t races = 0; ///< let pass
  Verdict verify = Verdict::none;
  std::optional<Limitation> largest; ///< the greatest bound of its account of latency
  SameResults results = SameResults::none;

  /// Counts say something unless the program could not run or was wrong.
  bool counted() const { return ran == Ran::done || ran == Ran::stopped; }
};

/// The global unit and all shared ones as one: sums.
UnitCounts all_units(const Counts& counts);

struct Comparison {
  std::string version; ///< of the tool
  std::uint64_t seed = 1;
  bool timing_only = false;            ///< nothing was computed
  std::vector<std::string> arrays;     ///< compared: those that all have, of one size
  std::vector<std::string> remarks;    ///< why other arrays were not compared
  std::vector<ComparisonRow> rows;     ///< machine by machine
  std::optional<LineComparison> lines; ///< of two runs
};

/// The row's time as a multiple of the best time on its machine; none where it did not end, or
/// where the best time is 0.
std::optional<double> ratio_to_best(const Comparison& comparison, const ComparisonRow& row);

nlohmann::ordered_json comparison_json(const Comparison& comparison);
nlohmann::ordered_json row_json(const Comparison& comparison, const ComparisonRow& row);
/// The schemas of `--format json` and of a line of `--format jsonl`.
nlohmann::ordered_json comparison_schema();
nlohmann::ordered_json comparison_line_schema();
/// Any of the formats, ending with a line end. jsonl: a row a line. With `lines`, csv and jsonl
/// have these in the place of the rows.
std::string render_comparison(const Comparison& comparison, Format format, TableStyle style);

} // namespace memlane
