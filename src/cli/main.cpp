// memlane: the command line.
#include "command.hpp"
#include "interrupt.hpp"
#include "pending_file.hpp"
#include "version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace memlane::cli {
namespace {

std::optional<ColorChoice> color_named(std::string_view name) {
  if (name == "auto") return ColorChoice::automatic;
  if (name == "always") return ColorChoice::always;
  if (name == "never") return ColorChoice::never;
  return std::nullopt;
}

Exit run_named(const Command& command, const std::vector<std::string>& words, Console& console) {
  const std::vector<Option> options = all_options(command);
  const std::size_t own = command.passes_on ? words_of_command(words, options) : words.size();
  const auto behind = words.begin() + static_cast<std::ptrdiff_t>(own);
  Result<Arguments> arguments =
      read_arguments({words.begin(), behind}, options, hints_for_options(command));
  if (!arguments) {
    Diagnostics errors = arguments.errors();
    errors.back().help.push_back(fmt::format("'memlane help {}' shows its options", command.name));
    return console.fail(errors, Sources());
  }
  arguments->words.insert(arguments->words.end(), behind, words.end());
  if (arguments->has("help")) {
    console.out(console.with_commands(command_help(command)));
    return Exit::done;
  }
  if (const auto color = arguments->value("color")) {
    const auto choice = color_named(*color);
    if (!choice) {
      return console.fail(error_in(
          "--color", fmt::format("'auto', 'always' or 'never' is needed, not '{}'", *color)));
    }
    console.choose_color(*choice);
  }
  if (command.run) {
    OptionReader reader(*arguments);
    Sources sources;
    Limits limits; // of all that is read; commands with --max-seconds set their own
    limits.check = stop_check(0);
    sources.set_limits(std::move(limits));
    const Result<Exit> exit = command.run(reader, sources, console);
    return exit ? *exit : console.fail(exit.errors(), sources);
  }
  return console.fail(error_in("", fmt::format("{} needs a command", command.name),
                               {fmt::format("'memlane help {}' lists them", command.name)}));
}

Exit help(std::vector<std::string> words, Console& console) {
  if (words.empty()) {
    console.out(console.with_commands(general_help()));
    return Exit::done;
  }
  if (words.front() == "--man") {
    console.out(manual_page());
    return Exit::done;
  }
  const Result<const Command*> command = take_command(words);
  if (!command) return console.fail(command.errors(), Sources());
  console.out(console.with_commands(command_help(**command)));
  return Exit::done;
}

} // namespace

Exit run_command_line(std::vector<std::string> words, Console& console) {
  if (words.empty()) {
    console.print_error(general_help());
    return Exit::error;
  }
  const std::string first = words.front();
  if (first == "help" || first == "--help" || first == "-h") {
    return help({words.begin() + 1, words.end()}, console);
  }
  if (first == "--version") {
    console.out(fmt::format("memlane {} (semantics {})\n", version, semantics));
    return Exit::done;
  }
  const Result<const Command*> command = take_command(words);
  if (!command) return console.fail(command.errors(), Sources());
  return run_named(**command, words, console);
}

} // namespace memlane::cli

int main(int count, char** words) {
  using memlane::cli::Exit;
  memlane::cli::Console console;
  if (count > 0) console.set_program(words[0]);
  memlane::cli::remove_temporaries_on_signals();
  try {
    const Exit exit =
        memlane::cli::run_command_line({words + std::min(count, 1), words + count}, console);
    return static_cast<int>(console.finish(exit));
  } catch (const std::bad_alloc&) {
    console.print_error("error: out of memory; --max-memory limits what a run may take\n");
    return static_cast<int>(Exit::limit);
  } catch (const std::exception& error) {
    console.print_error(fmt::format("error: {}\n", error.what()));
    return static_cast<int>(Exit::error);
  }
}
