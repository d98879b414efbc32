// memlane completion: scripts for shells, and what they ask.
#include "completion.hpp"

#include "command.hpp"

#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

namespace memlane::cli {
namespace {

const std::vector<std::string>& shells() {
  static const std::vector<std::string> names = {"bash", "zsh", "fish"};
  return names;
}

/// A candidate on each line, a tabulator before what is said about it; then `:files` or `:folders`
/// and what stands before a path.
std::string answer_text(const Completions& completions) {
  std::string text;
  for (const Candidate& candidate : completions.words)
    text += fmt::format("{}\t{}\n", candidate.word, on_one_line(candidate.about, 200));
  if (completions.files) text += fmt::format(":files {}\n", completions.prefix);
  if (completions.folders) text += fmt::format(":folders {}\n", completions.prefix);
  return text;
}

Result<Exit> completion(OptionReader& options, Sources&, Console& console) {
  std::vector<std::string> words = options.words;
  if (options.has("line")) {
    const std::string current = words.empty() ? "" : words.back();
    if (!words.empty()) words.pop_back();
    console.out(answer_text(complete(words, current)));
    return Exit::done;
  }
  const std::string accepted = fmt::format("{}", fmt::join(shells(), ", "));
  if (words.size() != 1)
    return error_in("", "completion takes one shell", {fmt::format("shells: {}", accepted)});
  const std::string_view script = completion_script(words.front());
  if (!script.empty()) {
    console.out(script);
    return Exit::done;
  }
  std::vector<std::string> help = did_you_mean(words.front(), shells());
  help.push_back(fmt::format("accepted: {}", accepted));
  return error_in("", fmt::format("no completion for the shell '{}'", words.front()), help);
}

} // namespace

Command completion_command() {
  return {
      "completion",
      "bash|zsh|fish",
      "print the script that completes memlane's command lines in a shell",
      "Print a script for a shell: commands, options, programs, machines, parameters and files\n"
      "are then completed with the tabulator. An installed memlane has the scripts where\n"
      "shells look for them. Otherwise a line in the shell's start file reads the script:\n"
      "  bash  source <(memlane completion bash)     in ~/.bashrc\n"
      "  zsh   source <(memlane completion zsh)      in ~/.zshrc, after compinit\n"
      "  fish  memlane completion fish | source      in ~/.config/fish/config.fish",
      {{"line", 0, "", false,
        "what the scripts ask: what can stand in place of the last of the\n"
        "words behind --, which are those of a command line up to the cursor"}},
      {"memlane completion bash", "memlane completion --line -- run su"},
      completion};
}

} // namespace memlane::cli
