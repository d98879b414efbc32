#include "memlane/show/run_words.hpp"

#include "memlane/machine/keys.hpp"
#include "memlane/show/json_parts.hpp"
#include "memlane/support/machine_names.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <cmath>

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
  return !contains(key.required(), machine.model) && key.fetch(machine) == key.default_value;
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

std::string claim_sides(const ClaimOutcome& claim) {
  const std::string ratio = std::isfinite(claim.ratio) ? ratio_cell(claim.ratio) : "undefined";
  const std::string sides = fmt::format("{} against {}", claim.left.text, claim.right.text);
  return claim.verdict == ClaimVerdict::ratio_only ? fmt::format("ratio {}: {}", ratio, sides)
                                                   : fmt::format("{}, ratio {}", sides, ratio);
}

std::string percent(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "0 %";
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{:.1f} %", share);
}

std::string times_as_fast(std::int64_t before, std::int64_t after) {
  if (after == 0) return "infinitely many";
  const double times = static_cast<double>(before) / static_cast<double>(after);
  return times < 100 ? fmt::format("{:.2f}", times) : fmt::format("{:.0f}", times);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t k = 0; k < parts.size(); ++k)
    text += (k == 0 ? "" : k + 1 == parts.size() ? " and " : ", ") + parts[k];
  return text;
}

std::string conflicts_of(UnitId unit, Model model) {
  const bool banks = has_one_memory(model) ? traits_of(model).has_shared : unit == UnitId::shared;
  return banks ? "bank conflicts" : "requests to several address groups";
}

std::string engine_work_text(const EngineWork& work) {
  std::string text;
  for (const WorkColumn& column : work_columns()) {
    const SparedWork& of = work.*column.of;
    if (of.total == 0) continue;
    text += of.skipped == 0
                ? fmt::format("{}: all {} {} {}\n", column.name, of.total, column.unit, column.done)
                : fmt::format("{}: {} of {} {} {}, {}\n", column.name, of.total - of.skipped,
                              of.total, column.unit, column.done, column.skipped);
  }
  return text;
}

std::string phase_seconds_text(const PhaseSeconds& seconds) {
  std::string text;
  for (std::size_t k = 0; k < seconds.size(); ++k)
    if (seconds[k] > 0)
      text += fmt::format("{}{:.4f} {}", text.empty() ? "seconds: " : ", ", seconds[k],
                          name_of(static_cast<EnginePhase>(k)));
  return text.empty() ? text : text + '\n';
}

} // namespace memlane
