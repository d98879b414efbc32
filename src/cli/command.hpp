// The commands: one file each, one table of all.
#pragma once

#include "arguments.hpp"
#include "console.hpp"

namespace memlane::cli {

/// One command. Its examples are run by a test.
struct Command {
  std::string_view name;
  std::string_view usage; ///< what follows the name
  std::string_view summary;
  std::string_view description; ///< lines for its help
  std::vector<Option> options;  ///< beside --help and --color, which every command has
  std::vector<std::string_view> examples;
  Exit (*run)(const Arguments&, Console&) = nullptr;
  std::vector<Instead> instead = {}; ///< of options that others have and it does otherwise
};

Command run_command();
Command compare_command();
Command verify_command();
Command check_command();
Command replay_command();
Command list_command();
Command explain_command();

/// All of them, in the order in which help shows them.
const std::vector<Command>& commands();
/// The command of a name, or null.
const Command* find_command(std::string_view name);
/// For every option that the command does not have and another does.
std::vector<Instead> instead_of_options(const Command& command);
/// An error about a word that is no command, with the nearest one.
Diagnostic unknown_command(std::string_view word);

/// The page of the tool, and that of a command.
std::string general_help();
std::string command_help(const Command& command);

} // namespace memlane::cli
