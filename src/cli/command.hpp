// The commands: one file each, one table of all.
#pragma once

#include "arguments.hpp"
#include "console.hpp"

#include <functional>
#include <memory>
#include <type_traits>

namespace memlane::cli {

/// One use of a command: its options, bound to a request, and what it does with the request.
struct Call {
  Options options;
  /// Errors are shown with the sources.
  std::function<Result<Exit>(OptionReader&, Sources&, Console&)> run;
};
using MakeCall = std::function<Call()>;

/// `run(request, given, sources, console)` is called with a request that was filled from the
/// options, and reports the errors in `given` together with its own. Without the parameter `given`,
/// wrong options alone end the command.
template <class Request, class Run>
MakeCall call_with(void (*options)(Options&, Request&), Run run) {
  return [options, run] {
    const auto request = std::make_shared<Request>();
    Call call;
    options(call.options, *request);
    call.run = [run, request](OptionReader& given, Sources& sources, Console& console) {
      if constexpr (std::is_invocable_v<Run, Request&, OptionReader&, Sources&, Console&>)
        return run(*request, given, sources, console);
      else
        return given.ok() ? run(*request, sources, console) : Result<Exit>(given.errors());
    };
    return call;
  };
}

/// One command. Its examples are run by a test.
struct Command {
  std::string_view name;
  std::string_view usage; ///< what follows the name
  std::string_view summary;
  std::string_view description; ///< lines for its help
  MakeCall call;                ///< options beside --help and --color, which every command has
  std::vector<std::string_view> examples;
  std::vector<OptionHint> hints = {}; ///< for options of other commands that it does otherwise
  /// Commands of their own that may follow its name, named `group word`. A command without `call`
  /// is only a group of them.
  std::vector<Command> words = {};

  /// Its options and words; a group has none.
  Options options() const { return call ? call().options : Options(); }
};

Command run_command();
Command compare_command();
Command verify_command();
Command sweep_command();
Command tune_command();
Command worst_command();
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
Command handout_command();
Command results_command();
Command completion_command();
Command bank_command();
Command machine_command();
Command demo_command();
Command playground_command();

/// All of them, in the order in which help shows them.
const std::vector<Command>& commands();
/// The command of a name, or null.
const Command* find_command(std::string_view name);
/// What a word of a group is called behind the group's name.
std::string_view own_name(const Command& word);
/// What every command has: --color and --help.
struct CommonOptions {
  ColorChoice color = ColorChoice::automatic;
  bool help = false;
};
void add_common(Options& options, CommonOptions& common);
/// An error if these are not as many words as the command takes.
Status check_words(const Command& command, const TakenWords& taken, const Arguments& given);
/// The command line of these arguments for a shell, options behind the words; before the words of a
/// program that gets all that follows.
std::string command_line(const Command& command, const Arguments& arguments);
/// For every option that the command does not have and another does.
std::vector<OptionHint> hints_for_options(const Command& command);
/// The command that the first words name, `gpu compare` say, which are taken away; or an error
/// about the word that is no command, with the nearest one. A command is returned itself if no
/// word of its own follows; of a group only another word is an error. Requires a word.
Result<const Command*> take_command(std::vector<std::string>& words);
/// The error that the group, or a command without words of its own, has no such word.
Diagnostic unknown_word(const Command& group, std::string_view word);

/// A whole command line behind `memlane`: runs its command and prints its errors.
Exit run_command_line(std::vector<std::string> words, Console& console);

/// The page of the tool, and that of a command.
std::string general_help();
std::string command_help(const Command& command);
/// The manual page of the tool and all its commands, as roff with the macros of man(7).
std::string manual_page();

} // namespace memlane::cli
