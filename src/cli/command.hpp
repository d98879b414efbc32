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
  /// Errors are shown with the sources.
  Result<Exit> (*run)(OptionReader&, Sources&, Console&) = nullptr;
  std::vector<OptionHint> hints = {}; ///< for options of other commands that it does otherwise
  /// Commands of their own that may follow its name, named `group word`. A command without `run` is
  /// only a group of them.
  std::vector<Command> words = {};
  /// Its options stand before its first word; what follows belongs to the program that this names.
  bool passes_on = false;
};

Command run_command();
Command compare_command();
Command verify_command();
Command sweep_command();
Command tune_command();
Command ptx_command();
Command figures_command();
Command check_command();
Command replay_command();
Command timeline_command();
Command list_command();
Command explain_command();
Command emit_cuda_command();
Command plot_command();
Command cuda_command();
Command gpu_command();
Command grade_command();
Command results_command();
Command completion_command();
Command bank_command();
Command demo_command();

/// All of them, in the order in which help shows them.
const std::vector<Command>& commands();
/// The command of a name, or null.
const Command* find_command(std::string_view name);
/// What a word of a group is called behind the group's name.
std::string_view own_name(const Command& word);
/// Its options, and those that every command has.
std::vector<Option> all_options(const Command& command);
/// For every option that the command does not have and another does.
std::vector<OptionHint> hints_for_options(const Command& command);
/// The command that the first words name, `gpu compare` say, which are taken away; or an error
/// about the word that is no command, with the nearest one. A command is returned itself if no
/// word of its own follows; of a group only another word is an error. Requires a word.
Result<const Command*> take_command(std::vector<std::string>& words);

/// A whole command line behind `memlane`: runs its command and prints its errors.
Exit run_command_line(std::vector<std::string> words, Console& console);

/// The page of the tool, and that of a command.
std::string general_help();
std::string command_help(const Command& command);
/// The manual page of the tool and all its commands, as roff with the macros of man(7).
std::string manual_page();

} // namespace memlane::cli
