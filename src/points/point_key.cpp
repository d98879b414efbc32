#include "memlane/count/counts.hpp"
#include "memlane/machine/keys.hpp"
#include "memlane/points/point.hpp"
#include "memlane/support/sha256.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::sweep {
namespace {

/// `n=1024 p=32`, or with another character between.
std::string joined(const NamedTexts& texts, std::string_view between) {
  std::string all;
  for (const auto& [name, text] : texts)
    all += fmt::format("{}{}={}", all.empty() ? std::string_view() : between, name, text);
  return all;
}

/// Every value of a machine that a run may depend on.
std::string machine_text(const MachineSpec& machine) {
  NamedTexts values;
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
  NamedTexts replaced = info.replaced;
  std::sort(replaced.begin(), replaced.end()); // whatever the order of the axes is
  std::string all;
  for (const auto& [option, text] : replaced)
    all += fmt::format("{}{} {}", all.empty() ? "" : "\n", option, text);
  return all;
}

} // namespace

NamedTexts parameter_texts(const std::vector<ir::Constant>& parameters) {
  NamedTexts texts;
  for (const ir::Constant& parameter : parameters)
    texts.emplace_back(parameter.name, ir::to_string(parameter.type, parameter.value));
  return texts;
}

NamedTexts key_parts_of(const Point& point, const NamedTexts& parameters) {
  NamedTexts input_hashes = point.input_hashes;
  std::sort(input_hashes.begin(), input_hashes.end());
  const ProgramInfo& info = point.program->info;
  // A command has none of the options that programs have.
  if (!point.command.empty())
    return {{"semantics", std::to_string(semantics)},
            {"program", info.sha256},
            {"words", point.own_words},
            {"machine", machine_text(point.machine)},
            {"seed", std::to_string(point.options.seed)}};
  const auto yes_no = [](bool yes) { return std::string(yes ? "yes" : "no"); };
  NamedTexts parts = {{"semantics", std::to_string(semantics)},
                      {"program", program_text(info)},
                      {"replaced", replaced_text(info)},
                      {"parameters", joined(parameters, "\n")},
                      {"machine", machine_text(point.machine)},
                      {"seed", std::to_string(point.options.seed)},
                      {"timing_only", yes_no(point.options.timing_only)},
                      {"inputs", joined(input_hashes, "\n")},
                      {"verify", yes_no(point.options.verify)},
                      {"races_allowed", yes_no(point.options.allow_races)}};
  // Parts that most points lack, so that their keys are those of older stores.
  if (point.options.atomics != ExecutionOrder::rising)
    parts.emplace_back("atomics", std::string(name_of(point.options.atomics)));
  if (point.options.pram) parts.emplace_back("pram", "yes");
  if (!point.prices.empty()) parts.emplace_back("prices", prices_text(point.prices));
  return parts;
}

bool same_machine(const MachineSpec& a, const MachineSpec& b) {
  return a.model == b.model && machine_text(a) == machine_text(b);
}

std::string prices_text(const std::vector<PriceRequest>& prices) {
  std::vector<std::string> texts;
  for (const PriceRequest& price : prices) texts.push_back(price.option_text());
  std::sort(texts.begin(), texts.end()); // whatever the order of the options is
  return fmt::format("{}", fmt::join(texts, " "));
}

/// The parts with their names and sizes, so that no two lists of parts make one text.
std::string key_of(const NamedTexts& parts) {
  std::string all;
  for (const auto& [name, text] : parts) all += fmt::format("{} {}\n{}\n", name, text.size(), text);
  return sha256(all);
}

} // namespace memlane::sweep
