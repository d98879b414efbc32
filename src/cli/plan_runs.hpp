// Runs the points of several plans into a store, with progress on a terminal.
#pragma once

#include "console.hpp"

#include "memlane/sweep/sweep_run.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace memlane::cli {

struct PlanRuns {
  sweep::SweepRequest request; ///< without its begin and end
  bool retry = false;          ///< run points again that stopped or failed
  /// Called for each point with what is wrong with it, by one thread at a time, while nothing else
  /// writes to the terminal; empty: not wanted.
  std::function<void(const sweep::NamedPlan&, const std::string& label, const std::string& message)>
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

} // namespace memlane::cli
