// Options of commands that run the points of plans into a store: sweep and tune.
#pragma once

#include "input_files.hpp"
#include "options.hpp"

#include "memlane/sweep/sweep_run.hpp"

#include <cstddef>
#include <vector>

namespace memlane::cli {

/// How points are run.
struct PlanOptions {
  sweep::PointLimits limits;
  sweep::Engine engine = sweep::Engine::fast;
  std::size_t jobs = 1;
  bool retry = false; ///< run points again that failed or stopped
};

/// --retry, the limits, --engine and --jobs.
std::vector<Option> plan_options();
/// Errors stay in `options`.
PlanOptions read_plan_options(OptionReader& options);

/// Runs on this machine's clock, with the files of --input; without a sweep's name. `inputs` and
/// `sources` must outlive it.
sweep::SweepRuns runs_with(const PlanOptions& how, InputFiles& inputs, const Sources& sources);

} // namespace memlane::cli
