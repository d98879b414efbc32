#include "plan_axes.hpp"

#include "memlane/lang/values.hpp"
#include "memlane/machine/keys.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::sweep {
namespace {

/// Keys that an axis may change: not the model, nor texts about the file.
bool may_vary(const MachineKey& key) { return key.fetch && !key.per_file() && key.path != "model"; }

} // namespace

const MachineKey* key_on(std::string_view name, Model model) {
  if (const auto path = key_of_letter(name, model)) return find_machine_key(*path);
  const MachineKey* key = find_machine_key(name);
  return key && may_vary(*key) ? key : nullptr;
}

bool is_machine_name(std::string_view name) {
  return std::any_of(all_models().begin(), all_models().end(),
                     [&](Model model) { return key_on(name, model) != nullptr; });
}

namespace {

std::vector<std::string> names_of_axes(const std::vector<CheckedProgram>& programs) {
  std::vector<std::string> names;
  for (const CheckedProgram& program : programs)
    for (const lang::ParamSymbol& param : program.checked.params)
      if (std::find(names.begin(), names.end(), param.name) == names.end())
        names.push_back(param.name);
  for (const MachineKey& key : machine_keys())
    if (may_vary(key)) names.emplace_back(key.path);
  return names;
}

class AxisRoles {
public:
  AxisRoles(const SweepSpec& sweep, const std::vector<CheckedProgram>& programs,
            const std::vector<LoadedMachine>& machines)
      : sweep_(sweep), programs_(programs), machines_(machines) {}

  Result<std::vector<PlannedAxis>> find();

private:
  AxisRole role_of(const SweepAxis& axis);
  AxisRole role_of_name(const SweepAxis& axis);
  void check_own_values(const PlannedAxis& planned);
  void check_machine_axis(const SweepAxis& axis);
  void check_once(const std::vector<PlannedAxis>& all);
  void fail(Span place, std::string message, std::vector<std::string> help) {
    errors_.add(error_at(place, std::move(message), std::move(help)));
  }

  const SweepSpec& sweep_;
  const std::vector<CheckedProgram>& programs_;
  const std::vector<LoadedMachine>& machines_;
  ErrorCollector errors_;
};

AxisRole AxisRoles::role_of_name(const SweepAxis& axis) {
  std::vector<std::string> lacking;
  for (std::size_t k = 0; k < programs_.size(); ++k)
    if (!lang::find_param(programs_[k].checked, axis.name))
      lacking.push_back(sweep_.programs[k].name);
  if (lacking.empty()) return AxisRole::parameter;
  if (lacking.size() == programs_.size()) {
    if (is_machine_name(axis.name)) return AxisRole::machine;
    auto help = did_you_mean(axis.name, names_of_axes(programs_));
    if (help.empty())
      help = {fmt::format("the axes can be {}", fmt::join(names_of_axes(programs_), ", "))};
    fail(axis.span,
         fmt::format("axis {}: no program has a parameter of this name, nor has a "
                     "machine such a key",
                     axis.name),
         std::move(help));
    return AxisRole::parameter;
  }
  fail(axis.span,
       fmt::format("axis {}: {} {} no such parameter", axis.name, fmt::join(lacking, ", "),
                   lacking.size() == 1 ? "has" : "have"),
       {"all programs of a sweep need its axes: leave the program out, or give it a sweep of its "
        "own"});
  return AxisRole::parameter;
}

AxisRole AxisRoles::role_of(const SweepAxis& axis) {
  switch (axis.kind) {
  case AxisKind::layout:
  case AxisKind::fn:
  case AxisKind::type: return AxisRole::replacement;
  case AxisKind::input: return AxisRole::input;
  case AxisKind::word: return AxisRole::word;
  case AxisKind::named: return role_of_name(axis);
  case AxisKind::machine_key: break;
  }
  if (!is_machine_name(axis.name)) {
    std::vector<std::string> keys = names_of_axes({});
    auto help = did_you_mean(axis.name, keys);
    if (help.empty()) help = {fmt::format("the keys are {}", fmt::join(keys, ", "))};
    fail(axis.span, fmt::format("axis {}: unknown key of a machine", axis.name), std::move(help));
  }
  return AxisRole::machine;
}

/// Every machine must have the key, and none a value of its own for it.
void AxisRoles::check_machine_axis(const SweepAxis& axis) {
  for (std::size_t k = 0; k < machines_.size(); ++k) {
    const MachineKey* key = key_on(axis.name, machines_[k].spec.model);
    if (!key) continue; // machine_value says so
    for (const std::string& own : sweep_.machines[k].overrides)
      if (own.substr(0, own.find('=')) == key->path)
        fail(axis.span,
             fmt::format("axis {}: machine {} has a {} of its own", axis.name,
                         sweep_.machines[k].name, key->path),
             {"leave one out"});
  }
}

void AxisRoles::check_own_values(const PlannedAxis& planned) {
  const SweepAxis& axis = *planned.axis;
  if (planned.role == AxisRole::machine) return check_machine_axis(axis);
  for (const SweptProgram& program : sweep_.programs) {
    const auto own = std::any_of(
        program.definitions.begin(), program.definitions.end(),
        [&](const SweepDefinition& definition) { return definition.name == axis.name; });
    if (planned.role == AxisRole::parameter && own)
      fail(axis.span, fmt::format("axis {}: {} has a value of its own", axis.name, program.name),
           {"leave one out"});
    if (planned.role != AxisRole::replacement) continue;
    const auto [option, text] = replacement(axis, 0);
    const std::string head = text.substr(0, text.find_first_of("=( "));
    for (const auto& [own_option, own_text] : program.replaced)
      if (own_option == option && own_text.substr(0, own_text.find_first_of("=( ")) == head)
        fail(axis.span,
             fmt::format("axis {}: {} has {} of its own", axis.title(), program.name, own_text),
             {"leave one out"});
  }
}

/// `p` and `threads` are one key.
void AxisRoles::check_once(const std::vector<PlannedAxis>& all) {
  for (const LoadedMachine& machine : machines_) {
    std::vector<std::pair<const MachineKey*, const SweepAxis*>> keys;
    for (const PlannedAxis& planned : all) {
      if (planned.role != AxisRole::machine) continue;
      const MachineKey* key = key_on(planned.axis->name, machine.spec.model);
      for (const auto& [other, axis] : keys)
        if (key && other == key)
          return fail(planned.axis->span,
                      fmt::format("axis {}: {} is an axis, too, and both are the machine's {}",
                                  planned.axis->name, axis->name, key->path),
                      {"leave one out"});
      keys.emplace_back(key, planned.axis);
    }
  }
}

Result<std::vector<PlannedAxis>> AxisRoles::find() {
  std::vector<PlannedAxis> all;
  for (std::size_t group = 0; group < sweep_.axes.size(); ++group)
    for (std::size_t place = 0; place < sweep_.axes[group].size(); ++place) {
      const SweepAxis& axis = sweep_.axes[group][place];
      all.push_back({&axis, group, place, role_of(axis)});
    }
  for (const PlannedAxis& planned : all) check_own_values(planned);
  check_once(all);
  if (!errors_.ok()) return errors_.errors();
  return all;
}

} // namespace

Result<std::vector<PlannedAxis>> planned_axes(const SweepSpec& sweep,
                                              const std::vector<CheckedProgram>& programs,
                                              const std::vector<LoadedMachine>& machines) {
  return AxisRoles(sweep, programs, machines).find();
}

std::pair<std::string, std::string> replacement(const SweepAxis& axis, std::int64_t value) {
  const std::string text = axis.value(value);
  if (axis.kind == AxisKind::layout) return {"layout", fmt::format("{}={}", axis.name, text)};
  if (axis.kind == AxisKind::type) return {"type", fmt::format("{}={}", axis.name, text)};
  return {"fn", axis.name + (text.front() == '=' ? " " : "") + text};
}

Result<OtherValue> machine_value(const LoadedMachine& machine, const SweepAxis& axis,
                                 std::int64_t value) {
  const Model model = machine.spec.model;
  const MachineKey* key = key_on(axis.name, model);
  if (key && contains(key->models, model))
    return key_value(*key, axis.value(value), axis.part(value).span);
  std::vector<std::string> help;
  const std::size_t dot = axis.name.find('.');
  const std::string similar =
      dot == std::string::npos ? "shared." + axis.name : axis.name.substr(dot + 1);
  if (const MachineKey* other = find_machine_key(similar); other && contains(other->models, model))
    help.push_back(
        fmt::format("it has {}; an axis named l is the latency of every model", similar));
  help.emplace_back("leave the machine out, or give it a sweep of its own");
  return error_at(axis.span,
                  fmt::format("axis {}: machine '{}' is of model {}, which has no such key",
                              axis.name, machine.spec.name, name_of(model)),
                  std::move(help));
}

} // namespace memlane::sweep
