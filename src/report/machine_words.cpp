#include "machine_words.hpp"

#include "memlane/config/keys.hpp"
#include "memlane/support/machine_names.hpp"

#include <fmt/format.h>

namespace memlane {
namespace {

std::string model_in_capitals(Model model) {
  std::string out(name_of(model));
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

bool is_numeric_key(const MachineKey& key, Model model) {
  const bool numeric = key.kind != KeyKind::text && key.kind != KeyKind::lines;
  return key.fetch && numeric && contains(key.models, model) && key.path != "model";
}

bool is_at_default(const MachineKey& key, const MachineSpec& machine) {
  return !contains(key.required, machine.model) && key.fetch(machine) == key.default_value;
}

/// The papers' letter of a key; empty: it has none on this model.
std::string_view letter_of(const MachineKey& key, Model model) {
  for (const MachineName& name : machine_names)
    if (name.name.size() == 1 && key_of_letter(name.name, model) == key.path) return name.name;
  return "";
}

} // namespace

std::string machine_settings(const MachineSpec& machine) {
  std::string text = model_in_capitals(machine.model);
  for (const MachineKey& key : machine_keys())
    if (is_numeric_key(key, machine.model) && !is_at_default(key, machine))
      text += fmt::format(", {} {}", key.path, text_of(key.fetch(machine)));
  return text;
}

std::string machine_with_letters(const MachineSpec& machine) {
  std::string text = model_in_capitals(machine.model);
  for (const MachineKey& key : machine_keys()) {
    if (!is_numeric_key(key, machine.model)) continue;
    const std::string_view letter = letter_of(key, machine.model);
    if (letter.empty() && is_at_default(key, machine)) continue;
    const std::string value = text_of(key.fetch(machine));
    if (letter.empty())
      text += fmt::format(", {} {}", key.path, value);
    else if (value == "none")
      text += fmt::format(", {} unbounded ({})", letter, key.path);
    else
      text += fmt::format(", {} = {} ({})", letter, value, key.path);
  }
  return text;
}

} // namespace memlane
