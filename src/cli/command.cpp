#include "command.hpp"

#include "memlane/report/text_table.hpp"
#include "memlane/support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace memlane::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      run_command(),    compare_command(), verify_command(),  check_command(),
      replay_command(), list_command(),    explain_command(),
  };
  return table;
}

const Command* find_command(std::string_view name) {
  for (const Command& command : commands()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

Diagnostic unknown_command(std::string_view word) {
  std::vector<std::string> known = {"help"};
  for (const Command& command : commands()) known.emplace_back(command.name);
  std::vector<std::string> help = did_you_mean(word, known);
  help.emplace_back("'memlane help' lists the commands");
  return error_in("", fmt::format("unknown command '{}'", word), help);
}

std::vector<Instead> instead_of_options(const Command& command) {
  std::vector<Instead> all = command.instead;
  for (const Command& other : commands()) {
    for (const Option& option : other.options) {
      const auto has = [&](const auto& known) { return known.name == option.name; };
      const bool own = std::any_of(command.options.begin(), command.options.end(), has);
      if (own || std::any_of(all.begin(), all.end(), has)) continue;
      all.push_back({std::string(option.name), option.letter,
                     fmt::format("'memlane {}' has it, {} has not", other.name, command.name)});
    }
  }
  return all;
}

std::string general_help() {
  TextTable table({Align::left, Align::left});
  for (const Command& command : commands()) {
    table.add({std::string(command.name), std::string(command.summary)});
  }
  table.add({"help [COMMAND]", "this page, or a command's own with examples"});
  return fmt::format("memlane runs algorithms on the GPU machines of theory and counts their exact "
                     "time.\n\nusage: memlane COMMAND [options]\n\n{}\n"
                     "  --version  the version\n\n"
                     "Exit status: 0 done; 1 a check failed; 2 usage, configuration or program "
                     "error;\n3 a limit was reached; 130 interrupted.\n",
                     table.text(2));
}

std::string command_help(const Command& command) {
  std::vector<Option> options = command.options;
  options.push_back(
      {"color", 0, "WHEN", false, "auto (on a terminal; the default), always, never"});
  options.push_back({"help", 'h', "", false, "this page"});
  std::string text =
      fmt::format("usage: memlane {} {}\n\n{}\n\noptions\n{}\nexamples\n", command.name,
                  command.usage, command.description, options_text(options));
  for (std::string_view example : command.examples) text += fmt::format("  {}\n", example);
  return text;
}

} // namespace memlane::cli
