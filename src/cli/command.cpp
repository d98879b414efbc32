#include "command.hpp"

#include "memlane/show/text_table.hpp"
#include "memlane/support/suggest.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      run_command(),     timeline_command(),   compare_command(),    verify_command(),
      sweep_command(),   figures_command(),    results_command(),    plot_command(),
      check_command(),   grade_command(),      handout_command(),    replay_command(),
      ptx_command(),     cuda_command(),       emit_cuda_command(),  gpu_command(),
      machine_command(), demo_command(),       playground_command(), list_command(),
      explain_command(), completion_command(), bank_command(),       tune_command(),
      worst_command(),
  };
  return table;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::string_view own_name(const Command& word) { return word.name.substr(word.name.find(' ') + 1); }

namespace {

Diagnostic unknown_command(std::string_view word) {
  std::vector<std::string> known = {"help"};
  for (const Command& command : commands()) known.emplace_back(command.name);
  std::vector<std::string> help = did_you_mean(word, known);
  help.emplace_back("'memlane help' lists the commands");
  return error_in("", fmt::format("unknown command '{}'", word), help);
}

/// The page of a group: its words, where a command has its options.
std::string group_help(const Command& group) {
  TextTable table({Align::left, Align::prose});
  for (const Command& word : group.words) {
    table.add({std::string(own_name(word)), std::string(word.summary)});
  }
  std::string text = fmt::format(
      "usage: memlane {} {}\n\n{}\n\ncommands ('memlane help {} COMMAND' shows the options)\n"
      "{}\nexamples\n",
      group.name, group.usage, group.description, group.name, table.text(2, 80));
  for (std::string_view example : group.examples) text += fmt::format("  {}\n", example);
  return text;
}

} // namespace

Diagnostic unknown_word(const Command& group, std::string_view word) {
  std::vector<std::string> known;
  for (const Command& command : group.words) known.emplace_back(own_name(command));
  std::vector<std::string> help = did_you_mean(word, known);
  help.push_back(known.empty()
                     ? fmt::format("'memlane help {}' shows its options", group.name)
                     : fmt::format("commands of {}: {}", group.name, fmt::join(known, ", ")));
  return error_in("", fmt::format("unknown command '{} {}'", group.name, word), help);
}

Result<const Command*> take_command(std::vector<std::string>& words) {
  const Command* command = find_command(words.front());
  if (!command) return unknown_command(words.front());
  words.erase(words.begin());
  if (command->words.empty() || words.empty() || words.front().rfind('-', 0) == 0) return command;
  for (const Command& word : command->words) {
    if (own_name(word) != words.front()) continue;
    words.erase(words.begin());
    return &word;
  }
  if (command->call) return command;
  return unknown_word(*command, words.front());
}

std::vector<OptionHint> hints_for_options(const Command& command) {
  std::vector<OptionHint> all = command.hints;
  const Options own = command.options();
  constexpr std::string_view only = "only ";
  for (const Command& other : commands()) {
    for (const Option& option : other.options().rows) {
      if (own.find(option.name)) continue;
      const auto known = std::find_if(
          all.begin(), all.end(), [&](const OptionHint& hint) { return hint.name == option.name; });
      if (known == all.end()) {
        all.push_back({std::string(option.name), option.letter,
                       fmt::format("{}'memlane {}' accepts this option, not {}", only, other.name,
                                   command.name)});
      } else if (known->help.starts_with(only)) {
        known->help.erase(0, only.size()); // several accept it
      }
    }
  }
  return all;
}

void add_common(Options& options, CommonOptions& common) {
  options.add("color", "WHEN",
              one_of(&common.color, "value",
                     {{"auto", ColorChoice::automatic},
                      {"always", ColorChoice::always},
                      {"never", ColorChoice::never}}),
              "auto (on a terminal; the default), always, never");
  options.flag("help,h", &common.help, "this page");
}

Status check_words(const Command& command, const TakenWords& taken, const Arguments& given) {
  const std::size_t count = given.words.size();
  if ((count >= taken.least && count <= taken.most) || given.has(taken.except)) return Done{};
  const bool few = count < taken.least;
  const auto wanted = static_cast<std::int64_t>(few ? taken.least : taken.most);
  std::vector<std::string> help;
  if (!few && !command.words.empty()) help = unknown_word(command, given.words.front()).help;
  if (!taken.hint.empty()) help.emplace_back(taken.hint);
  help.push_back(fmt::format("usage: memlane {} {}", command.name,
                             command.usage.substr(0, command.usage.find('\n'))));
  return error_in("",
                  fmt::format("{} takes {}{}, not {}", command.name,
                              taken.least == taken.most ? ""
                              : few                     ? "at least "
                                                        : "at most ",
                              wanted == 0   ? fmt::format("no {}", taken.noun)
                              : wanted == 1 ? fmt::format("one {}", taken.noun)
                                            : counted(wanted, taken.noun),
                              count),
                  std::move(help));
}

std::string command_line(const Command& command, const Arguments& arguments) {
  const Options options = command.options();
  std::string line = fmt::format("memlane {}", command.name);
  std::string words;
  for (const std::string& word : arguments.words) words += " " + shell_word(word);
  if (!options.words.passes_on) line += words;
  for (const auto& [name, value] : arguments.given_options) {
    const Option* option = options.find(name);
    if (!option) continue; // such as --color, which every command has
    line += option->letter ? fmt::format(" -{}", option->letter) : fmt::format(" --{}", name);
    if (!option->argument.empty()) line += " " + shell_word(value);
  }
  if (options.words.passes_on) line += words; // what follows them is the program's
  return line;
}

std::string general_help() {
  TextTable table({Align::left, Align::prose});
  for (const Command& command : commands()) {
    table.add({std::string(command.name), std::string(command.summary)});
  }
  table.add({"help [COMMAND]",
             "this page, or a command's own with examples; --man: the manual page, as roff"});
  return fmt::format("memlane runs algorithms on the GPU machines of theory and counts their exact "
                     "time.\n\nusage: memlane COMMAND [options]\n\n{}\n"
                     "  --version  the version\n\n"
                     "Exit status: 0 done; 1 a check failed; 2 usage, configuration or program "
                     "error;\n3 a limit was reached; 130 interrupted.\n",
                     table.text(2, 80));
}

std::string command_help(const Command& command) {
  if (!command.call) return group_help(command);
  Options options = command.options();
  CommonOptions common;
  add_common(options, common);
  std::string text = fmt::format("usage: memlane {} {}\n\n{}\n\noptions\n{}\nexamples\n",
                                 command.name, command.usage, command.description, options.help());
  for (std::string_view example : command.examples) text += fmt::format("  {}\n", example);
  return text;
}

} // namespace memlane::cli
