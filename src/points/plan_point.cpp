// One point of a plan: its values, its key, and the command that repeats it.
#include "plan_state.hpp"

#include "memlane/machine/keys.hpp"
#include "memlane/points/command_program.hpp"
#include "memlane/points/point.hpp"
#include "memlane/points/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::sweep {
namespace {

std::string text_of_param(const NamedTexts& parameters, const std::string& name) {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const auto& known) { return known.first == name; });
  return found == parameters.end() ? "" : found->second;
}

} // namespace

PlacePlanned PlanState::place(std::int64_t combination) const {
  PlacePlanned place;
  place.values.resize(sweep.axes.size());
  for (std::size_t group = sweep.axes.size(); group-- > 0;) {
    place.values[group] = combination % sweep.axes[group].front().size;
    combination /= sweep.axes[group].front().size;
  }
  const auto machines_count = static_cast<std::int64_t>(machines.size());
  place.machine = static_cast<std::size_t>(combination % machines_count);
  place.program = static_cast<std::size_t>(combination / machines_count);
  return place;
}

std::size_t PlanState::variant(const PlacePlanned& place) const {
  std::size_t variant = 0;
  std::size_t group = sweep.axes.size();
  for (const PlannedAxis& planned : axes) {
    if (planned.role != AxisRole::replacement || planned.group == group) continue;
    group = planned.group; // axes of a group stand together
    variant = variant * static_cast<std::size_t>(sweep.axes[group].front().size) +
              static_cast<std::size_t>(place.values[group]);
  }
  return place.program * variants + variant;
}

Result<std::shared_ptr<const LoadedMachine>> PlanState::machine(const PlacePlanned& place) const {
  const auto& base = machines[place.machine];
  std::vector<OtherValue> values;
  for (const PlannedAxis& planned : axes) {
    if (planned.role != AxisRole::machine) continue;
    Result<OtherValue> value = machine_value(*base, *planned.axis, place.values[planned.group]);
    if (!value) return value.errors();
    values.push_back(std::move(*value));
  }
  if (values.empty()) return base;
  Result<LoadedMachine> changed = with_values(*base, values);
  if (!changed) return changed.errors();
  return std::make_shared<const LoadedMachine>(std::move(*changed));
}

NamedTexts PlanState::axis_values(const PlacePlanned& place,
                                  const std::vector<ir::Constant>& parameters) const {
  const NamedTexts known = parameter_texts(parameters);
  NamedTexts values;
  for (const PlannedAxis& planned : axes) {
    const SweepAxis& axis = *planned.axis;
    values.emplace_back(axis.title(), planned.role == AxisRole::parameter
                                          ? text_of_param(known, axis.name)
                                          : axis.value(place.values[planned.group]));
  }
  return values;
}

std::string PlanState::label(const PlacePlanned& place, const NamedTexts& values) const {
  std::string text = fmt::format("{} on {}", sweep.programs[place.program].title(),
                                 sweep.machines[place.machine].title());
  for (const auto& [name, value] : values) text += fmt::format(", {}={}", name, value);
  if (sweep.seeds.size() > 1) text += fmt::format(", seed {}", sweep.seeds[place.seed]);
  return text;
}

Recipe PlanState::recipe(const PlacePlanned& place) const {
  Recipe recipe;
  recipe.program.name = sweep.programs[place.program].name;
  recipe.program.replaced = without_dashes(program(place).program.info.replaced);
  recipe.program.allow_races = sweep.allow_races;
  recipe.machine.name = sweep.machines[place.machine].name;
  recipe.machine.overrides = sweep.machines[place.machine].overrides;
  for (const PlannedAxis& axis : axes)
    if (axis.role == AxisRole::machine) {
      const auto value =
          machine_value(*machines[place.machine], *axis.axis, place.values[axis.group]);
      recipe.machine.overrides.push_back(fmt::format(
          "{}={}", value->key->path, value->value.index() == 0 ? "null" : text_of(value->value)));
    }
  for (const PlannedAxis& axis : axes)
    if (axis.role == AxisRole::input &&
        has_memory_array(program(place).program.checked, axis.axis->name))
      recipe.inputs.emplace_back(axis.axis->name, axis.axis->value(place.values[axis.group]));
  recipe.seed = sweep.seeds[place.seed];
  recipe.timing_only = sweep.timing_only;
  recipe.verify = sweep.verify;
  recipe.pram = sweep.pram;
  recipe.prices = sweep.prices;
  return recipe;
}

/// Gives the recipe the words of the command, and the point what its key and results have of them.
void PlanState::add_command(const KernelCommand& command, const PlacePlanned& place,
                            PlannedPoint& planned) const {
  Point& point = planned.point;
  for (const PlannedAxis& axis : axes)
    if (axis.role == AxisRole::word)
      point.texts.emplace_back(axis.axis->name, axis.axis->value(place.values[axis.group]));
  set_command(command, planned.values, planned.recipe, point);
}

PlannedPoint PlanState::planned(const PlacePlanned& place) const {
  const PlannedProgram& program = this->program(place);
  PlannedPoint planned;
  planned.machine = *machine(place); // make() has tried it
  Recipe& recipe = planned.recipe;
  recipe = this->recipe(place);
  Point& point = planned.point;
  point = point_of(recipe, program.program, planned.machine->spec);
  point.parameters = program.parameters(place.values);
  const auto bound = lang::bind_params(
      program.program.checked, bindings_of(point.machine, point.parameters), *sources, true);
  const NamedTexts parameters = parameter_texts(bound->values);

  planned.program = recipe.program.name;
  planned.values = axis_values(place, bound->values);
  if (program.command) add_command(*program.command, place, planned);
  for (const auto& [array, source] : recipe.inputs)
    point.input_hashes.emplace_back(array, input_hashes.at(source));
  planned.key_parts = key_parts_of(point, parameters);
  planned.key = key_of(planned.key_parts);
  planned.label = label(place, planned.values);
  recipe.program.definitions = definitions_of(point.parameters, parameters);
  planned.command = command_text(recipe);
  return planned;
}

} // namespace memlane::sweep
