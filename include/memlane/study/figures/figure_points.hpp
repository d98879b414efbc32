// The points of figures and lessons: planned, and read by the queries of a figure from a store.
#pragma once

#include "memlane/points/plan.hpp"
#include "memlane/store/sweep_run.hpp"
#include "memlane/study/figures/result.hpp"
#include "memlane/support/limits.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace memlane {

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
  std::int64_t queries_stopped = 0; ///< at the limit of SQLite's steps
  bool interrupted = false;
};

/// The sweeps of all figures, figure by figure.
std::vector<sweep::NamedPlan> plans_of(const std::vector<PlannedFigure>& figures);

/// The rows of a query over the sweeps of a figure, in a store that is at this path. `check` may
/// stop a query. A query that takes too many steps ends with an error, and `run`, which must
/// outlive the result, counts it.
Result<FigureSelect> select_over(PlannedFigure& figure, const std::string& store,
                                 std::function<Stop()> check, const Sources& sources,
                                 FiguresRun& run);
/// Fills the result of a figure with such rows.
Status judge_points(PlannedFigure& figure, const FigureSelect& select);
/// Fills the result of a figure from the store.
Status judge_planned(PlannedFigure& figure, const std::string& store, std::function<Stop()> check,
                     const Sources& sources, FiguresRun& run);

} // namespace memlane
