// What --explain and --try add to a run: its explanation, and changed runs beside it.
#pragma once

#include "console.hpp"
#include "run_request.hpp"

#include "memlane/show/run_report.hpp"
#include "memlane/study/explain/tried_change.hpp"

#include <vector>

namespace memlane::cli {

/// A change of --try and the run that it makes, bound.
struct Try {
  std::vector<Change> changes;
  sweep::ChangedRun run;
};

/// Reads every --try and binds its run. Errors: those of read_changes, of a program, machine or
/// parameter that the change makes wrong, and an array of --input whose size changes.
Result<std::vector<Try>> read_tries(const RunRequest& request, PreparedRun& prepared);

/// The outputs that the advice needs: all memory arrays, if they are small; none without --explain.
std::vector<std::string> explained_outputs(const RunRequest& request, const PreparedRun& prepared);

/// The exit status that a changed run asks for.
Exit exit_of_try(const sweep::ComparisonRow& row);
/// Of several: the first of interrupted, error, limit, check_failed that is among them; else done.
Exit worst_of(const std::vector<Exit>& exits);

/// Fills in the report's explanation and tries.
/// Exit::done, or the exit status that the tries ask for.
Exit explain_and_try(const RunRequest& request, PreparedRun& prepared, std::vector<Try> tries,
                     RunReport& report, const Console& console);

} // namespace memlane::cli
