// The runs of a tuning: a plan for each machine, and what a store has of its points.
#pragma once

#include "memlane/points/plan.hpp"
#include "memlane/points/sweep_spec.hpp"
#include "memlane/study/tune/tuning_table.hpp"

#include <string>
#include <vector>

namespace memlane {

/// One program, the values of one or two parameters, machines.
struct TuningGrid {
  sweep::SweepSpec spec;            ///< its only machine is that of -m
  std::vector<std::string> confirm; ///< other machines
  /// The axes that vary: their groups in the spec, before any fixed key.
  std::vector<std::size_t> tuned;
  std::vector<std::size_t> naive; ///< by tuned axis: the number of a value
  std::string objective;          ///< of the machine of -m; empty: the usual one

  const sweep::SweepAxis& axis(std::size_t k) const { return spec.axes[tuned[k]].front(); }
};

/// A value of --set that does not vary: the first machine's alone.
bool is_fixed_key(const std::vector<sweep::SweepAxis>& group);

/// A machine of a tuning, and the points on it.
struct TunedPlan {
  TunedMachine machine; ///< without rows
  sweep::Plan plan;
};

/// Each machine with its measures and its points; that of -m is the first. Errors: of programs,
/// machines and values; an objective that the machine does not have; no value that can run.
Result<std::vector<TunedPlan>> plan_tuning(const TuningGrid& grid, const sweep::SweepFiles& files,
                                           Sources& sources);

/// The axes of the report: values as the plans evaluated them, as they are written where these
/// differ.
std::vector<sweep::TunedAxis> tuned_axes(const TuningGrid& grid,
                                         const std::vector<TunedPlan>& plans);

/// By tuned axis: a memory array with initial contents whose size changes with the values, which
/// are different problems then; else empty. Cost: one point of each value is bound, and none is
/// run; the check of `sources` may end it, without an array then.
std::vector<std::string> changed_inputs(const TuningGrid& grid, const sweep::Plan& plan,
                                        const Sources& sources);

/// Whether one of these values of a tuned axis, the other as `at`, is allowed by the machine's key,
/// the program's conditions and --where. `values` is as an option writes it. Whether launches fit
/// the machine is not known before they run. Cost: these values are planned, and none is run.
bool can_try(const TuningGrid& grid, std::size_t axis, const std::string& values,
             const std::vector<std::size_t>& at, const sweep::SweepFiles& files, Sources& sources);

/// The machines of all plans, their rows filled from a store that has the points.
Result<std::vector<TunedMachine>> tuned_machines(const TuningGrid& grid,
                                                 const std::vector<TunedPlan>& plans,
                                                 const std::string& store);

} // namespace memlane
