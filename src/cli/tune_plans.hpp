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

/// A tuned axis, and the value of each around which it goes on.
struct TunedPlace {
  std::size_t axis = 0;
  const std::vector<std::size_t>& at; ///< by tuned axis: the number of a value
};
/// Whether one of these values of the axis, the other as at the place, is allowed by the machine's
/// key, the program's conditions and --where. `values` is as an option writes it. Whether launches
/// fit the machine is not known before they run. Cost: these values are planned, and none is run.
bool can_try(const TuneRequest& request, const TunedPlace& place, const std::string& values,
             Sources& sources);

} // namespace memlane::cli
