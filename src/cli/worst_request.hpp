// What `memlane worst` is asked for, and the points and inputs that it begins with.
#pragma once

#include "pending_file.hpp"
#include "plan_runs.hpp"
#include "sweep_request.hpp"

#include "memlane/study/worst/searched_points.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace memlane::cli {

struct WorstRequest {
  SweepSelection values;
  std::string count; ///< --of
  std::vector<std::string> vary, candidates;
  bool each = false; ///< points are searched one by one
  sweep::SearchOptions search;
  std::string store; ///< empty: none
  std::vector<std::string> files;
  Format format = Format::table;
  PlanOptions how;
};

void worst_options(Options& options, WorstRequest& request);

/// Where a start's content comes from, if --input can take it again: array and source.
using StartSources = std::vector<NameAndValue>;

/// What is searched.
struct WorstSearch {
  std::optional<sweep::Plan> plan; ///< points refer to it
  std::vector<sweep::SearchedPoint> points;
  std::vector<sweep::SearchPlace> places;         ///< by point
  std::vector<std::vector<StartSources>> sources; ///< by point and start; empty: there is none
  std::vector<std::pair<std::string, PendingFile>> files; ///< array and where its content goes
};

/// Plans, binds, finds the arrays and makes the starts. Errors: those of the program, the machine,
/// the count, the arrays, the files; too many points for so many runs.
Status prepare_worst(const WorstRequest& request, Sources& sources, WorstSearch& search);

} // namespace memlane::cli
