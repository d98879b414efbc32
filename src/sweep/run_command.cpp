#include "memlane/sweep/run_command.hpp"

#include "memlane/support/shell_words.hpp"

#include <fmt/format.h>

namespace memlane::sweep {

std::string command_text(const RunWords& words) {
  std::string text =
      fmt::format("memlane run {} -m {}", shell_word(words.program), shell_word(words.machine));
  const auto add = [&](std::string_view option, const std::string& value) {
    text += fmt::format(" {} {}", option, shell_word(value));
  };
  for (const std::string& value : words.overrides) add("--set", value);
  for (const auto& [name, value] : words.definitions) add("-D", fmt::format("{}={}", name, value));
  for (const auto& [option, value] : words.replaced) add(option, value);
  for (const auto& [array, path] : words.inputs) add("--input", fmt::format("{}={}", array, path));
  if (words.seed != 1) add("--seed", std::to_string(words.seed));
  if (words.timing_only) text += " --timing-only";
  if (!words.verify) text += " --no-verify";
  if (words.allow_races) text += " --allow-races";
  if (words.pram) text += " --pram";
  for (const std::string& price : words.prices) add("--price", price);
  for (const std::string& change : words.tries) add("--try", change);
  return text;
}

} // namespace memlane::sweep
