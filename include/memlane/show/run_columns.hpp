// What the formats of a run are made from.
#pragma once

#include "memlane/claim/claim.hpp"
#include "memlane/count/hiding.hpp"
#include "memlane/count/watch.hpp"
#include "memlane/engine/outcome.hpp"
#include "memlane/show/columns.hpp"
#include "memlane/show/run_report.hpp"
#include "memlane/support/json_table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memlane {

/// What a T says of a program whose text is among the sources.
template <class T>
using Placed = PartOf<T, Sources>;

/// The members `counts`, and their schema.
schema::Json counts_json(const RunResult& run, const Sources& sources);
schema::Json counts_schema();

/// The program of a result.
const schema::Table<ProgramInfo>& program_table();
/// A side of a claim or of a relation; none if its text is empty.
const schema::Table<ClaimValue>& claim_side_table();
std::optional<ClaimValue> if_known(const ClaimValue& side);

/// Program, machine and seed, a line each.
std::string heading_text(const RunReport& report);

/// None where the run did not come to its end: its counts are not those of a whole run.
std::optional<LatencyHiding> latency_hiding_of(const RunReport& report);

/// Three lines: whether latency was hidden, the four bounds, what would hide it.
std::string latency_text(const LatencyHiding& account, const RunReport& report);
/// A line for each unit that was used: `latency hidden`, or for how long it was exposed.
std::string latency_summary(const LatencyHiding& account, const RunReport& report);
/// null: none.
schema::Json latency_json(const std::optional<LatencyHiding>& account);
schema::Json latency_schema();

/// The run, its memory units, their congestion, its kernels and source lines, and its claims: a
/// table each. Requires `markdown` or `latex`.
std::string run_paper(const RunReport& report, const Sources& sources, Format format);

/// Of a run or a replayed trace.
const Columns<Placed<RunReport>>& run_columns();
const Columns<Placed<ClaimOutcome>>& claim_columns();
/// A kernel and the counts of all its launches.
using NamedCounts = std::map<std::string, Counts>::value_type;
const Columns<NamedCounts>& kernel_columns();
/// The launches that a result lists.
const Columns<LaunchCounts>& launch_columns();
/// The blocks that it lists, on an MMM.
const Columns<BlockCounts>& mmm_block_columns();

inline constexpr std::size_t widest_source = 58; ///< columns of a source line in a table
/// A source line within the JSON of what mentions it.
const schema::Table<CountedLine>& counted_line_table();
const Columns<CountedLine>& line_columns();

/// The idle time of a unit by what warps waited for.
const schema::Table<IdleByWait>& idle_by_wait_table();
const Columns<ShownWait>& wait_columns();
/// What a wait is for, as a table names it.
std::string_view meaning_of(WaitCause cause);
/// The idle time of a unit by what warps waited for, a row each; empty where that is not told.
std::string idle_by_wait_text(const UnitCounts& unit, std::int64_t time, std::size_t columns);
/// Waits for values by source line; empty where there are none.
std::string waits_text(const Counts& counts, const Sources& sources, std::size_t columns);

// --- parts of it

/// Races that a run continued after: a row for each array and pair of lines.
const Columns<Placed<RacePair>>& race_columns();
/// The rows as a text table, most races first, at most 16 of them.
std::string races_text(const RaceCounts& races, const Sources& sources);

/// What --watch recorded.
const schema::Table<WatchRecord>& watch_table();
/// For people, part by part, in 80 columns unless a value is longer.
std::string watch_text(const WatchRecord& record);

/// The global memory, then the shared memories: of one multiprocessor as a section like the global
/// memory's, of several as a table with a row for each.
std::string unit_sections(const RunReport& report, std::size_t columns);

/// A line for the global memory, and one for all shared memories: requests, stages, conflicts.
std::string unit_lines(const RunReport& report);

/// Requests by their stages, as tables show them.
struct StageClass {
  std::string stages; ///< `3`, or a bucket: `5 to 8`
  std::int64_t requests = 0;
};

/// Each number of stages by itself, or, where there are more than 16, in buckets that end at powers
/// of two.
std::vector<StageClass> stage_classes(const UnitCounts& unit);

} // namespace memlane
