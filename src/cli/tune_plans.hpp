// The runs that a tuning needs: a plan for each machine.
#pragma once

#include "tune_request.hpp"

#include "memlane/report/tuning.hpp"
#include "memlane/sweep/plan.hpp"

#include <optional>
#include <vector>

namespace memlane::cli {

/// A machine of a tuning, and the points on it.
struct TunedPlan {
  TunedMachine machine; ///< without rows
  sweep::Plan plan;
  std::optional<sweep::Plan> naive = {}; ///< of --naive-program
};

/// Machines with their measures, and their points, that of -m first. Errors: those of programs,
/// machines and values; an objective that the machine does not have; no value that can run.
Result<std::vector<TunedPlan>> plan_tuning(const TuneRequest& request, Sources& sources);

} // namespace memlane::cli
