// The points of figures and lessons: planned, run into a store, and read by their queries.
#pragma once

#include "console.hpp"

#include "memlane/points/plan.hpp"
#include "memlane/store/store.hpp"
#include "memlane/study/figures/result.hpp"
#include "memlane/support/limits.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memlane::cli {

/// A figure and the plans of its sweeps, in the order of the file.
struct PlannedFigure {
  FigureResult result;
  std::vector<sweep::Plan> plans;
  std::vector<std::optional<sweep::Plan>> beyond; ///< of sweeps with a continuation
};

Result<PlannedFigure> plan_figure(FigureSpec spec, const sweep::SweepFiles& files,
                                  Sources& sources);

/// What happened to all points.
struct FiguresRun {
  std::int64_t run = 0, stopped = 0, failed = 0, check_failed = 0;
  bool interrupted = false;
};

/// How points are run.
struct PointRuns {
  Limits limits; ///< of each
  std::size_t jobs = 1;
};

/// Runs what the store lacks of all figures. Their points share the cores: at the end of a figure
/// with one long point, the others go on.
Status run_points_of(const std::vector<PlannedFigure>& figures, const PointRuns& how,
                     sweep::Store& store, const Sources& sources, const Console& console,
                     FiguresRun& run);

/// The rows of a query over the sweeps of a figure, in a store that is at this path.
Result<FigureSelect> select_over(PlannedFigure& figure, const std::string& store,
                                 const Sources& sources, FiguresRun& run);
/// Fills the result of a figure with such rows.
Status judge_points(PlannedFigure& figure, const FigureSelect& select);
/// Fills the result of a figure from the store.
Status judge_planned(PlannedFigure& figure, const std::string& store, const Sources& sources,
                     FiguresRun& run);

} // namespace memlane::cli
