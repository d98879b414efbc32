// The points of plans run into a store, with progress on a terminal: sweep and tune.
#pragma once

#include "console.hpp"
#include "input_files.hpp"
#include "options.hpp"

#include "memlane/store/sweep_run.hpp"
#include "memlane/study/figures/figure_points.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace memlane::cli {

/// How points are run.
struct PlanOptions {
  sweep::PointLimits limits;
  sweep::Engine engine = sweep::Engine::fast;
  std::size_t jobs = 1;
  bool retry = false; ///< run points again that failed or stopped
};

/// --retry, the limits (--max-seconds is that of each point), --engine and --jobs.
void add_plan(Options& options, PlanOptions& how);

/// Runs on this machine's clock, with the files of --input; without a sweep's name. `inputs` and
/// `sources` must outlive it.
sweep::SweepRuns runs_with(const PlanOptions& how, InputFiles& inputs, const Sources& sources);

struct PlanRuns {
  sweep::SweepRequest request; ///< without its begin and end
  bool retry = false;          ///< run points again that stopped or failed
  /// Called for each point with which something is wrong, by one thread at a time, while nothing
  /// else writes to the terminal; empty: not wanted.
  std::function<void(const sweep::NamedPlan&, const sweep::PlannedPoint&, const sweep::EndedPoint&)>
      complain = {};
};

struct PlansRun {
  std::int64_t run = 0;     ///< points that ended
  bool interrupted = false; ///< some were not begun
};

/// Runs what the store lacks. The points of all plans share the cores: at the end of a plan with
/// one long point, the others go on. Errors: those of the store.
Result<PlansRun> run_plans(const std::vector<sweep::NamedPlan>& plans, PlanRuns runs,
                           sweep::Store& store, const Sources& sources);

/// A path for a store that is removed at the end, also by a signal that ends the program.
class TemporaryStore {
public:
  static Result<TemporaryStore> make();
  TemporaryStore(TemporaryStore&& other) noexcept;
  TemporaryStore& operator=(TemporaryStore&&) = delete;
  ~TemporaryStore();

  const std::string& path() const { return path_; }

private:
  explicit TemporaryStore(std::string path) : path_(std::move(path)) {}
  std::string path_; ///< empty: another has it
};

/// Runs what the store lacks of all figures, and prints what is wrong with a point; where races are
/// allowed, a failed check may be what the figure shows.
Status run_points_of(const std::vector<PlannedFigure>& figures, const Limits& limits,
                     std::size_t jobs, sweep::Store& store, const Sources& sources,
                     const Console& console, FiguresRun& run);

} // namespace memlane::cli
