// memlane: the command line.
#include "command.hpp"
#include "interrupt.hpp"
#include "pending_file.hpp"
#include "version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace memlane::cli {
namespace {

/// Runs a command with the words behind its name.
Exit run_named(const Command& command, const std::vector<std::string>& words, Console& console) {
  CommonOptions common;
  Options for_all, table;
  add_common(for_all, common);
  const Call call = command.call ? command.call() : Call();
  table.rows = call.options.rows;
  table.words = call.options.words;
  table.rows.insert(table.rows.end(), for_all.rows.begin(), for_all.rows.end());
  const Result<Arguments> arguments = table.parse(words, hints_for_options(command));
  if (!arguments) {
    Diagnostics errors = arguments.errors();
    errors.back().help.push_back(fmt::format("'memlane help {}' shows its options", command.name));
    return console.fail(errors, Sources());
  }
  OptionReader given(*arguments);
  Sources sources;
  for_all.receive(given, sources);
  if (common.help) {
    console.out(console.with_commands(command_help(command)));
    return Exit::done;
  }
  console.choose_color(common.color);
  if (!call.run)
    given.fail("", fmt::format("{} needs a command", command.name),
               fmt::format("'memlane help {}' lists them", command.name));
  if (given.ok()) given.check(check_words(command, call.options.words, given));
  if (!given.ok()) return console.fail(given.errors(), sources);
  Limits limits; // of all that is read; commands with --max-seconds set their own
  limits.check = stop_check(0);
  sources.set_limits(std::move(limits));
  call.options.receive(given, sources);
  const Result<Exit> exit = call.run(given, sources, console);
  return exit ? *exit : console.fail(exit.errors(), sources);
}

Exit help(std::vector<std::string> words, Console& console) {
  if (words.empty() || words == std::vector<std::string>{"help"}) {
    console.out(console.with_commands(general_help()));
    return Exit::done;
  }
  if (words.front() == "--man") {
    console.out(manual_page());
    return Exit::done;
  }
  const Result<const Command*> command = take_command(words);
  if (!command) return console.fail(command.errors(), Sources());
  if (!words.empty()) return console.fail(unknown_word(**command, words.front()));
  console.out(console.with_commands(command_help(**command)));
  return Exit::done;
}

/// Each launch takes memory and gives it back: what the system takes from a program has to be
/// cleared again.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 1 << 25);
#endif
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
  memlane::cli::keep_freed_memory();
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
