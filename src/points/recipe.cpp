#include "memlane/points/recipe.hpp"

#include "memlane/claim/claim.hpp"
#include "memlane/support/machine_names.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>

namespace memlane::sweep {

namespace {

/// What an option's text is about: `t` of `t=padded(1)`, `f` of `f(x) = x`.
std::string head_of(const std::string& text) { return text.substr(0, text.find_first_of("=( ")); }

void replace_text(std::vector<std::string>& texts, const Change& change) {
  std::erase_if(texts, [&](const std::string& own) { return head_of(own) == change.name; });
  texts.push_back(change.option_text());
}

void make_change(Recipe& recipe, const Change& change) {
  if (change.kind == ChangeKind::machine) return replace_text(recipe.machine.overrides, change);
  if (change.kind == ChangeKind::parameter) return replace_text(recipe.program.definitions, change);
  const std::string option(name_of(change.kind));
  std::erase_if(recipe.program.replaced, [&](const NameAndText& own) {
    return own.first == option && head_of(own.second) == change.name;
  });
  recipe.program.replaced.emplace_back(option, change.option_text());
}

} // namespace

Recipe with_changes(Recipe recipe, const std::vector<Change>& changes) {
  for (const Change& change : changes) make_change(recipe, change);
  return recipe;
}

std::vector<NameAndText> without_dashes(std::vector<NameAndText> replaced) {
  for (NameAndText& one : replaced) one.first.erase(0, 2);
  return replaced;
}

std::vector<std::string> definitions_of(const std::vector<lang::ParamValue>& parameters,
                                        const std::vector<NameAndText>& values) {
  std::vector<std::string> definitions;
  for (const lang::ParamValue& own : parameters)
    for (const auto& [name, value] : values)
      if (name == own.name) definitions.push_back(name + "=" + value);
  return definitions;
}

Point point_of(const Recipe& recipe, const CheckedProgram& program, const MachineSpec& machine) {
  Point point;
  point.program = &program;
  point.machine = machine;
  point.engine = recipe.engine;
  RunOptions& options = point.options;
  options.seed = recipe.seed;
  options.atomics = recipe.atomics;
  options.timing_only = recipe.timing_only;
  options.verify = recipe.verify;
  options.allow_races = program.info.all_races_allowed;
  options.pram = recipe.pram;
  options.limits = recipe.limits;
  point.prices = recipe.prices;
  point.input_sources = recipe.inputs;
  ask_for_counts(point.prices, options);
  return point;
}

std::vector<std::string> words_of(const Recipe& recipe) {
  const std::vector<std::string>& own = recipe.program.command;
  std::vector<std::string> words = {own.front(), "-m", recipe.machine.name};
  for (const std::string& value : recipe.machine.overrides)
    words.insert(words.end(), {"--set", value});
  // A CUDA program has its own random numbers.
  if (own.front() == "ptx") words.insert(words.end(), {"--seed", std::to_string(recipe.seed)});
  words.insert(words.end(), own.begin() + 1, own.end());
  return words;
}

std::string command_text(const Recipe& recipe, const std::vector<std::string>& tries) {
  if (!recipe.program.command.empty()) {
    std::string text = "memlane";
    for (const std::string& word : words_of(recipe)) text += ' ' + shell_word(word);
    return text;
  }
  std::string text = fmt::format("memlane run {} -m {}", shell_word(recipe.program.name),
                                 shell_word(recipe.machine.name));
  const auto add = [&](std::string_view option, const std::string& value) {
    text += fmt::format(" {} {}", option, shell_word(value));
  };
  for (const std::string& value : recipe.machine.overrides) add("--set", value);
  for (const std::string& value : recipe.program.definitions) add("-D", value);
  for (const auto& [option, value] : recipe.program.replaced) add("--" + option, value);
  for (const auto& [array, source] : recipe.inputs)
    add("--input", fmt::format("{}={}", array, source));
  if (recipe.seed != 1) add("--seed", std::to_string(recipe.seed));
  if (recipe.atomics != ExecutionOrder::rising)
    add("--atomics", std::string(name_of(recipe.atomics)));
  if (recipe.timing_only) text += " --timing-only";
  if (!recipe.verify) text += " --no-verify";
  if (recipe.program.allow_races) text += " --allow-races";
  if (recipe.pram) text += " --pram";
  for (const PriceRequest& price : recipe.prices) add("--price", price.option_text());
  const auto add_limit = [&](std::string_view option, std::int64_t limit, std::int64_t standard) {
    if (limit != standard && limit != INT64_MAX) add(option, std::to_string(limit));
  };
  add_limit("--max-steps", recipe.limits.steps, INT64_MAX);
  add_limit("--max-memory", recipe.limits.memory, standard_memory);
  add_limit("--max-time", recipe.limits.time, INT64_MAX);
  for (const std::string& change : tries) add("--try", change);
  return text;
}

namespace {

/// In the order in which a later one runs more of what the programs of an earlier one ask for.
enum Choice : std::size_t { umm, dmm, hmm, tensor, mmm };
constexpr std::array<DefaultMachine, 5> machines = {{{},
                                                     {Model::dmm, "dmm-w32"},
                                                     {Model::hmm, "hmm-titan-plain"},
                                                     {Model::hmm, "hmm-tensor"},
                                                     {Model::mmm, "mmm-gpu"}}};

bool uses_any(const lang::Checked& program, std::initializer_list<MachineQuantity> quantities) {
  return std::any_of(program.letters.begin(), program.letters.end(), [&](const auto& letter) {
    const MachineQuantity own = find_machine_name(letter)->quantity;
    return std::find(quantities.begin(), quantities.end(), own) != quantities.end();
  });
}

bool has_claim_on(const lang::Checked& checked, Model model) {
  const auto& claims = checked.program.claims;
  return std::any_of(claims.begin(), claims.end(), [&](const lang::ClaimDecl& claim) {
    return !claim.machines.empty() && speaks_of(claim, name_of(model));
  });
}

Choice choice(const lang::Checked& program) {
  using enum MachineQuantity;
  if (uses_any(program, {local_words, transfer_time, processors})) return mmm;
  if (uses_any(program, {tensor_size, tensor_latency})) return tensor;
  if (uses_any(program, {global_latency, capacity})) return hmm;
  const bool shared =
      std::any_of(program.arrays.begin(), program.arrays.end(), [](const lang::ArraySymbol& array) {
        return array.kind == lang::ArrayKind::shared && array.used;
      });
  if (!shared) return umm;
  return has_claim_on(program, Model::dmm) && !has_claim_on(program, Model::hmm) ? dmm : hmm;
}

} // namespace

DefaultMachine default_machine(const std::vector<const lang::Checked*>& programs) {
  Choice last = umm;
  for (const lang::Checked* program : programs) last = std::max(last, choice(*program));
  return machines[last];
}

} // namespace memlane::sweep
