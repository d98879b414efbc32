// A sweep as people and programs read it: what it did, or with --dry-run would do.
#pragma once

#include "memlane/show/run_report.hpp"
#include "memlane/store/sweep_run.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace memlane {

/// A point, as --dry-run lists it.
struct PlannedRow {
  std::string program, machine;
  std::string values; ///< of the axes: `n=1024, t=rows`
  std::uint64_t seed = 1;
  sweep::PointState state = sweep::PointState::missing;
  std::string why;     ///< --why: why it runs
  std::string key;     ///< in the store
  std::string command; ///< that runs this point alone
};

/// What the points that are to be run will take; rough.
struct SweepEstimate {
  std::optional<double> seconds; ///< of all; none: nothing is known yet
  std::int64_t from_runs = 0;    ///< timed runs that the seconds are from
  std::int64_t bytes = 0;        ///< of the arrays of the point that holds most
  std::string largest;           ///< this point
};

struct SweepReport {
  std::string version; ///< of the tool
  std::string sweep, store;
  std::int64_t points = 0;    ///< of the whole sweep
  std::int64_t excluded = 0;  ///< by its condition; not among the points
  std::int64_t elsewhere = 0; ///< in other shards
  sweep::SweepSummary known;  ///< points that the store had
  std::int64_t missing = 0;   ///< that were to be run
  bool dry_run = false;
  sweep::SweepSummary summary;           ///< of a sweep that was run
  std::optional<SweepEstimate> estimate; ///< of a dry run
  std::vector<PlannedRow> rows;          ///< of a dry run: those that are to be run, then the known
};

nlohmann::ordered_json sweep_report_schema();
/// The schema of a line of --format jsonl: a planned point.
nlohmann::ordered_json planned_line_schema();
/// Any of the formats, ending with a line end. csv and jsonl: a planned point a line.
std::string render_sweep(const SweepReport& report, Format format);

} // namespace memlane
