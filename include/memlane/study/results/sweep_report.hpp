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
  std::string values; ///< each axis and its value: `n=1024, t=rows`
  std::uint64_t seed = 1;
  sweep::PointState state = sweep::PointState::missing;
  std::string why;     ///< --why: why it runs
  std::string key;     ///< its key in the store
  std::string command; ///< the command that runs this point alone
};

/// What the points that are to be run will take; rough.
struct SweepEstimate {
  std::optional<double> seconds; ///< the sum over all points; none: nothing is known yet
  std::int64_t from_runs = 0;    ///< timed runs that the seconds are from
  std::int64_t bytes = 0;        ///< the most that one point's arrays take
  std::string largest;           ///< the label of that point
};

struct SweepReport {
  std::string version; ///< memlane's version
  std::string sweep, store;
  std::int64_t points = 0;    ///< all points of the sweep
  std::int64_t excluded = 0;  ///< points that the condition excludes; `points` lacks them
  std::int64_t elsewhere = 0; ///< points in other shards
  sweep::SweepSummary known;  ///< points that the store had
  std::int64_t missing = 0;   ///< points that were to be run
  bool dry_run = false;
  sweep::SweepSummary summary;           ///< what the runs gave; empty in a dry run
  std::optional<SweepEstimate> estimate; ///< given in a dry run
  std::vector<PlannedRow> rows; ///< listed in a dry run: those that are to be run, then the known
};

nlohmann::ordered_json sweep_report_schema();
/// The schema of a line of --format jsonl: a planned point.
nlohmann::ordered_json planned_line_schema();
/// Any of the formats, ending with a line end. csv and jsonl: a planned point a line.
std::string render_sweep(const SweepReport& report, Format format);

} // namespace memlane
