// What `memlane sweep` was asked, and its two answers.
#pragma once

#include "console.hpp"
#include "plan_options.hpp"
#include "results.hpp"

#include "memlane/report/sweep_report.hpp"
#include "memlane/sweep/sweep_run.hpp"
#include "memlane/sweep/sweep_spec.hpp"

#include <string>
#include <vector>

namespace memlane::cli {

struct SweepCommand {
  sweep::SweepSpec spec;
  std::string store;
  bool dry_run = false, why = false;
  sweep::Shard shard;
  PlanOptions how;
  std::vector<ResultTarget> targets;
};

/// What is known before anything is run.
SweepReport report_of(const SweepCommand& command, const sweep::Plan& plan,
                      const sweep::Pending& pending);

/// Lists the points with an estimate; runs small ones for a second. `store` may be null.
Status show_dry_run(SweepCommand& command, const sweep::Plan& plan, const sweep::Pending& pending,
                    const sweep::Store* store, const sweep::SweepRuns& runs, const Sources& sources,
                    Console& console);

} // namespace memlane::cli
