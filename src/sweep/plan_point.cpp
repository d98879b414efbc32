// One point of a plan: its values, its key, and the command that repeats it.
#include "plan_state.hpp"
#include "run_command.hpp"

#include "memlane/config/keys.hpp"
#include "memlane/count/semantics.hpp"
#include "memlane/support/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::sweep {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

/// `n=1024 p=32`, or with another character between.
std::string joined(const Texts& texts, std::string_view between) {
  std::string all;
  for (const auto& [name, text] : texts)
    all += fmt::format("{}{}={}", all.empty() ? std::string_view() : between, name, text);
  return all;
}

/// Every value of a machine that a run may depend on.
std::string machine_text(const MachineSpec& machine) {
  Texts values;
  for (const MachineKey& key : machine_keys()) {
    if (!key.fetch || !contains(key.models, machine.model)) continue;
    if (key.kind == KeyKind::text || key.kind == KeyKind::lines) continue;
    values.emplace_back(key.path, text_of(key.fetch(machine)));
  }
  return joined(values, "\n");
}

/// The texts of the program and of those it uses, whatever their paths are.
std::string program_text(const ProgramInfo& info) {
  std::string text = info.sha256;
  for (const auto& [path, sha256] : info.uses) text += "\n" + sha256;
  return text;
}

std::string replaced_text(const ProgramInfo& info) {
  Texts replaced = info.replaced;
  std::sort(replaced.begin(), replaced.end()); // whatever the order of the axes is
  std::string all;
  for (const auto& [option, text] : replaced)
    all += fmt::format("{}{} {}", all.empty() ? "" : "\n", option, text);
  return all;
}

/// The parts with their names and sizes, so that no two lists of parts make one text.
std::string key_of(const Texts& parts) {
  std::string all;
  for (const auto& [name, text] : parts) all += fmt::format("{} {}\n{}\n", name, text.size(), text);
  return sha256(all);
}

Texts parameter_texts(const std::vector<ir::Constant>& parameters) {
  Texts texts;
  for (const ir::Constant& parameter : parameters)
    texts.emplace_back(parameter.name, ir::to_string(parameter.type, parameter.value));
  return texts;
}

std::string text_of_param(const Texts& parameters, const std::string& name) {
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

Texts PlanState::axis_values(const PlacePlanned& place,
                             const std::vector<ir::Constant>& parameters) const {
  const Texts known = parameter_texts(parameters);
  Texts values;
  for (const PlannedAxis& planned : axes) {
    const SweepAxis& axis = *planned.axis;
    values.emplace_back(axis.title(), planned.role == AxisRole::parameter
                                          ? text_of_param(known, axis.name)
                                          : axis.value(place.values[planned.group]));
  }
  return values;
}

std::string PlanState::label(const PlacePlanned& place, const Texts& values) const {
  const SweptProgram& swept = sweep.programs[place.program];
  const SweptMachine& on = sweep.machines[place.machine];
  std::string text = swept.name;
  for (const auto& [option, replaced] : swept.replaced) text += " " + replaced;
  for (const SweepDefinition& own : swept.definitions)
    text += fmt::format(" {}={}", own.name, own.text);
  text += " on " + on.name;
  for (const std::string& own : on.overrides) text += " " + own;
  for (const auto& [name, value] : values) text += fmt::format(", {}={}", name, value);
  if (sweep.seeds.size() > 1) text += fmt::format(", seed {}", sweep.seeds[place.seed]);
  return text;
}

PlannedPoint PlanState::planned(const PlacePlanned& place) const {
  const PlannedProgram& program = this->program(place);
  const ProgramInfo& info = program.program.info;
  PlannedPoint planned;
  planned.machine = *machine(place); // make() has tried it
  Point& point = planned.point;
  point.program = &program.program;
  point.machine = planned.machine->spec;
  point.parameters = program.parameters(place.values);
  point.options.seed = sweep.seeds[place.seed];
  point.options.timing_only = sweep.timing_only;
  point.options.verify = sweep.verify;
  point.options.allow_races = !info.races_allowed.empty();
  const auto bound = lang::bind_params(program.program.checked,
                                       bindings_of(point.machine, point.parameters), *sources);
  const Texts parameters = parameter_texts(bound->values);

  planned.program = sweep.programs[place.program].name;
  planned.values = axis_values(place, bound->values);
  Texts hashes;
  for (std::size_t k = 0; k < sweep.inputs.size(); ++k) {
    const SweepDefinition& input = sweep.inputs[k];
    const auto& arrays = program.outline.arrays;
    const std::string owner = input.name.substr(0, input.name.find('.'));
    if (std::none_of(arrays.begin(), arrays.end(),
                     [&](const ir::Array& array) { return array.name == owner; }))
      continue;
    planned.inputs.emplace_back(input.name, input.text);
    hashes.emplace_back(input.name, input_hashes[k]);
  }
  std::sort(hashes.begin(), hashes.end());
  const auto yes_no = [](bool yes) { return std::string(yes ? "yes" : "no"); };
  planned.key_parts = {{"semantics", std::to_string(semantics)},
                       {"program", program_text(info)},
                       {"replaced", replaced_text(info)},
                       {"parameters", joined(parameters, "\n")},
                       {"machine", machine_text(point.machine)},
                       {"seed", std::to_string(point.options.seed)},
                       {"timing_only", yes_no(sweep.timing_only)},
                       {"inputs", joined(hashes, "\n")},
                       {"verify", yes_no(sweep.verify)},
                       {"races_allowed", yes_no(point.options.allow_races)}};
  planned.key = key_of(planned.key_parts);
  planned.label = label(place, planned.values);

  RunWords words;
  words.program = planned.program;
  words.machine = sweep.machines[place.machine].name;
  words.overrides = sweep.machines[place.machine].overrides;
  for (const PlannedAxis& axis : axes)
    if (axis.role == AxisRole::machine) {
      const auto value =
          machine_value(*machines[place.machine], *axis.axis, place.values[axis.group]);
      words.overrides.push_back(fmt::format(
          "{}={}", value->key->path, value->value.index() == 0 ? "null" : text_of(value->value)));
    }
  for (const lang::ParamValue& value : point.parameters)
    words.definitions.emplace_back(value.name, text_of_param(parameters, value.name));
  words.replaced = info.replaced;
  words.inputs = planned.inputs;
  words.seed = point.options.seed;
  words.timing_only = sweep.timing_only;
  words.verify = sweep.verify;
  words.allow_races = sweep.allow_races;
  planned.command = command_text(words);
  return planned;
}

} // namespace memlane::sweep
