#include "tune_plans.hpp"

#include "memlane/lang/values.hpp"
#include "memlane/report/stored_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace memlane::cli {
namespace {

using sweep::AxisKind;
using sweep::SweepAxis;

/// The spec for one of the machines. Values of --set that do not vary are the first machine's.
sweep::SweepSpec spec_for(const TuneRequest& request, const std::string& machine, bool is_first) {
  sweep::SweepSpec spec = request.spec;
  spec.machines = {{machine}};
  if (!is_first)
    std::erase_if(spec.axes, [](const auto& group) {
      return group.front().kind == AxisKind::machine_key && group.front().size == 1;
    });
  return spec;
}

/// One of the axis' values as an axis.
SweepAxis axis_of_value(const SweepAxis& axis, std::int64_t number) {
  SweepAxis one;
  one.kind = axis.kind;
  one.name = axis.name;
  one.span = axis.span;
  sweep::AxisPart part = axis.part(number);
  if (part.numbers)
    part.numbers = sweep::Progression{part.numbers->at(number - part.begin), 1, false};
  part.text = axis.value(number);
  one.add(std::move(part));
  return one;
}

/// Whether it is a key or a letter of the machine.
bool is_of_machine(const SweepAxis& axis, const lang::Checked& program) {
  return axis.kind == AxisKind::machine_key ||
         (axis.kind == AxisKind::named && !lang::find_param(program, axis.name));
}

/// The naive program with the values of its parameters and of the machine that do not vary, and the
/// naive values of those that do.
Result<sweep::SweepSpec> naive_spec(const TuneRequest& request, sweep::SweepSpec spec,
                                    const sweep::SweepFiles& files) {
  const auto naive = files.program(request.naive_program, {});
  if (!naive) return naive.errors();
  const auto tuned = files.program(spec.programs.front().name, {});
  if (!tuned) return tuned.errors();
  spec.programs = {{request.naive_program}};
  spec.where.clear();
  std::vector<std::vector<SweepAxis>> axes;
  for (const auto& group : spec.axes) {
    const SweepAxis& axis = group.front();
    const bool is_param =
        axis.kind == AxisKind::named && lang::find_param(naive->checked, axis.name);
    const bool is_input = axis.kind == AxisKind::input;
    if (!is_of_machine(axis, tuned->checked) && !is_param && !is_input) continue;
    std::int64_t number = 0;
    for (std::size_t k = 0; k < request.tuned.size(); ++k)
      if (request.spec.axes[request.tuned[k]].front().title() == axis.title())
        number = static_cast<std::int64_t>(request.naive[k]);
    axes.push_back({axis_of_value(axis, number)});
  }
  spec.axes = std::move(axes);
  return spec;
}

Result<TunedPlan> plan_machine(const TuneRequest& request, const std::string& name, bool is_first,
                               const sweep::SweepFiles& files, Sources& sources) {
  const Result<LoadedMachine> loaded = files.machine(name, {});
  if (!loaded) return loaded.errors();
  ErrorCollector errors;
  TunedMachine machine;
  machine.name = name;
  machine.model = loaded->spec.model;
  machine.measures = tuning_measures(machine.model);
  const std::string objective(is_first && request.objective ? *request.objective
                                                            : standard_objective(machine.model));
  errors.take(find_objective(objective, machine.model, stored_columns()), machine.objective);
  sweep::SweepSpec spec = spec_for(request, name, is_first);
  Result<sweep::Plan> plan = sweep::Plan::make(spec, files, sources, sweep::WrongPoints::leave_out);
  errors.check(plan);
  if (!errors.ok()) return errors.errors();
  const sweep::PlannedPoint first = plan->point(0);
  machine.spec = first.machine->spec;
  for (const std::size_t group : request.tuned)
    if (const SweepAxis& axis = request.spec.axes[group].front();
        is_of_machine(axis, first.point.program->checked))
      machine.varying.push_back(axis.title());
  TunedPlan planned{std::move(machine), std::move(*plan)};
  if (request.naive_program.empty()) return planned;
  Result<sweep::SweepSpec> naive = naive_spec(request, std::move(spec), files);
  if (!naive) return naive.errors();
  Result<sweep::Plan> naive_plan =
      sweep::Plan::make(*naive, files, sources, sweep::WrongPoints::leave_out);
  if (!naive_plan) return naive_plan.errors();
  planned.naive.emplace(std::move(*naive_plan));
  return planned;
}

/// These values as an axis like the other; without parts if they are no values.
SweepAxis axis_with_values(const SweepAxis& like, const std::string& values, Sources& sources) {
  sweep::SweepOptions options;
  options.programs = {"any"};
  auto& texts = like.kind == AxisKind::machine_key ? options.settings : options.definitions;
  texts = {fmt::format("{}={}", like.name, values)};
  const auto spec = sweep::read_sweep_options(sources, options, "any");
  return spec ? spec->axes.front().front() : SweepAxis();
}

} // namespace

bool can_try(const TuneRequest& request, const TunedPlace& place, const std::string& values,
             Sources& sources) {
  sweep::SweepSpec spec = request.spec;
  for (std::size_t k = 0; k < request.tuned.size(); ++k) {
    SweepAxis& axis = spec.axes[request.tuned[k]].front();
    axis = k == place.axis ? axis_with_values(axis, values, sources)
                           : axis_of_value(axis, static_cast<std::int64_t>(place.at[k]));
    if (axis.size == 0) return false;
  }
  spec.seeds.resize(1);
  const auto plan =
      sweep::Plan::make(spec, sweep_files(sources), sources, sweep::WrongPoints::leave_out);
  return plan && plan->size() > 0;
}

Result<std::vector<TunedPlan>> plan_tuning(const TuneRequest& request, Sources& sources) {
  const sweep::SweepFiles files = sweep_files(sources);
  std::vector<std::string> names = {request.spec.machines.front().name};
  names.insert(names.end(), request.confirm.begin(), request.confirm.end());
  std::vector<TunedPlan> plans;
  for (const std::string& name : names) {
    Result<TunedPlan> plan = plan_machine(request, name, plans.empty(), files, sources);
    if (!plan) return plan.errors(); // a program's errors are the same on the next machine
    plans.push_back(std::move(*plan));
  }
  return plans;
}

} // namespace memlane::cli
