#include "memlane/points/command_program.hpp"

#include "memlane/lang/parse.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

namespace memlane::sweep {
namespace {

/// The text of a program with these parameters and nothing to do.
std::string empty_program(const std::set<std::string>& parameters) {
  std::string text;
  for (const std::string& name : parameters) text += fmt::format("param {}: long = 0\n", name);
  return text + "main { }\nverify { assert true }\n";
}

} // namespace

bool is_parameter_name(const std::string& name) {
  Sources own;
  const Result<lang::Program> program =
      lang::parse_text(own, own.add("--command", empty_program({name})));
  return program && lang::check(own, *program).ok();
}

Result<CheckedProgram> program_for(const KernelCommand& command,
                                   const std::set<std::string>& numbers, Sources& sources) {
  Result<lang::Program> program =
      lang::parse_text(sources, sources.add("--command", empty_program(numbers)));
  if (!program) return program.errors();
  Result<lang::Checked> checked = lang::check(sources, std::move(*program));
  if (!checked) return checked.errors();
  CheckedProgram all{std::move(*checked), {}};
  all.info.path = command.path;
  all.info.sha256 = command.sha256;
  return all;
}

void set_command(const KernelCommand& command, const NamedTexts& values, Recipe& recipe,
                 Point& point) {
  std::vector<std::string> words = words_with_values(command.words, values);
  recipe.program.command = words;
  point.command = words_of(recipe);
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(command.file));
  for (const std::string& word : words)
    point.own_words += (point.own_words.empty() ? "" : " ") + shell_word(word);
}

} // namespace memlane::sweep
