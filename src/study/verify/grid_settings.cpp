#include "memlane/machine/keys.hpp"
#include "memlane/study/verify/verification.hpp"

#include <fmt/format.h>

namespace memlane::sweep {
namespace {

/// The shipped machine of the model that the runs of a grid differ least from.
std::string nearest_machine(Model model) {
  const bool one_memory = model == Model::dmm || model == Model::umm;
  return fmt::format("{}-{}", name_of(model), one_memory ? "w32" : "teaching");
}

/// The values of the machine that the shipped one does not have, as --set takes them.
std::vector<std::string> overrides(const MachineSpec& machine, const MachineSpec& shipped) {
  std::vector<std::string> texts;
  for (const MachineKey& key : machine_keys()) {
    if (key.per_file || !key.fetch || key.path == "model") continue;
    if (!contains(key.models, machine.model)) continue;
    const KeyValue value = key.fetch(machine);
    if (value == key.fetch(shipped)) continue;
    texts.push_back(fmt::format("{}={}", key.path, value.index() == 0 ? "null" : text_of(value)));
  }
  return texts;
}

} // namespace

std::string setting_text(const GridSetting& setting) {
  std::string text(name_of(setting.model));
  if (setting.lockstep) text += ", lockstep";
  for (const auto& [option, value] : setting.replaced)
    if (option == "--layout") text += ", " + value;
  return text;
}

const GridSetting& setting_of(const Verification& verification, std::int64_t number) {
  return verification.settings[static_cast<std::size_t>(number - 1)];
}

// The latency and the threads of an AGPU are not values that it could have: a block is one warp. An
// MMM has letters of its own.
bool has_axis(Model model, std::string_view axis) {
  const bool of_mmm = axis == "Z" || axis == "U" || axis == "P";
  if (model == Model::mmm)
    return of_mmm ||
           (axis != "w" && axis != "p" && axis != "l" && axis != "d" && axis != "L" && axis != "M");
  if (of_mmm) return false;
  const bool hmm = model == Model::hmm, agpu = model == Model::agpu;
  if (axis == "d") return hmm || agpu;
  if (axis == "L") return hmm;
  if (axis == "M") return agpu;
  return !agpu || (axis != "p" && axis != "l");
}

std::string place_on(const std::vector<std::string>& names, const GridValues& values,
                     const GridSetting& setting) {
  std::vector<std::string> own;
  GridValues own_values;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!has_axis(setting.model, names[k])) continue;
    own.push_back(names[k]);
    own_values.push_back(values[k]);
  }
  return fmt::format("{} on {}", place_text(own, own_values), setting_text(setting));
}

std::string command_at(const GridRequest& request, const Point& point,
                       const std::vector<std::pair<std::string, std::string>>& replaced) {
  const std::string base = nearest_machine(point.machine.model);
  Sources sources;
  const Result<LoadedMachine> shipped = load_machine(sources, base, {}, request.machines);
  // Without the shipped file every value is written, and the user finds out which file is missing.
  const MachineSpec unknown = [&] {
    MachineSpec none;
    none.shared = point.machine.shared ? std::optional(UnitSpec{}) : std::nullopt;
    none.global = point.machine.global ? std::optional(UnitSpec{}) : std::nullopt;
    return none;
  }();
  Recipe recipe = request;
  for (const lang::ParamValue& param : point.parameters) {
    const bool truth = param.value.kind == lang::ExprKind::boolean;
    const std::string value = !truth                     ? std::to_string(param.value.integer)
                              : param.value.integer != 0 ? "true"
                                                         : "false";
    recipe.program.definitions.push_back(fmt::format("{}={}", param.name, value));
  }
  recipe.program.replaced = without_dashes(replaced);
  recipe.machine = {base, overrides(point.machine, shipped ? shipped->spec : unknown)};
  recipe.seed = point.options.seed;
  recipe.pram = point.options.pram;
  return command_text(recipe);
}

} // namespace memlane::sweep
