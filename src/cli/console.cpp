#include "console.hpp"

#include "command.hpp"
#include "pending_file.hpp"
#include "results.hpp"

#include "memlane/points/point.hpp"
#include "memlane/support/terminal.hpp"
#include "memlane/support/text.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace memlane::cli {
namespace {

// --- Commands in printed texts, in words that work where memlane was started.

constexpr std::string_view own_word = "memlane ";

/// Whether a command may begin there.
bool follows_a_break(std::string_view before) {
  if (before.empty()) return true;
  constexpr std::string_view breaks = "\n'`(";
  if (breaks.find(before.back()) != std::string_view::npos) return true;
  const std::size_t last = before.find_last_not_of(' ');
  if (before.back() != ' ') return false;
  if (last == std::string_view::npos) return true;
  before = before.substr(0, last + 1);
  constexpr std::string_view marks = "\n:,;";
  return marks.find(before.back()) != std::string_view::npos || before.ends_with(" or") ||
         before.ends_with(" and") || before.ends_with(" &&");
}

/// Whether the text begins with the word of a command. (`memlane runs …` is a sentence.)
bool begins_with_command(std::string_view text) {
  const std::string_view word =
      text.substr(0, text.find_first_not_of("abcdefghijklmnopqrstuvwxyzCOMAND-"));
  return word == "help" || word == "COMMAND" || find_command(word) != nullptr;
}

/// The text with `program` in place of each `memlane` that begins a command, such as `memlane run
/// sum`: at the begin of a line or of the text, in quotes or parentheses, or behind a colon, a
/// comma, a semicolon, `or` or `and`. O(n).
std::string with_typed_commands(std::string_view text, std::string_view program) {
  std::string typed;
  std::size_t done = 0;
  for (std::size_t at = 0; (at = text.find(own_word, at)) != std::string_view::npos;) {
    const std::size_t word = at + own_word.size();
    if (follows_a_break(text.substr(0, at)) && begins_with_command(text.substr(word))) {
      typed += text.substr(done, at - done);
      typed += program;
      done = word - 1;
    }
    at = word;
  }
  return typed += text.substr(done);
}

} // namespace

// --- What is written.

Exit exit_after(Stop stop) {
  switch (stop) {
  case Stop::none: return Exit::done;
  case Stop::error: return Exit::error;
  case Stop::interrupted: return Exit::interrupted;
  default: return Exit::limit;
  }
}

TableStyle Console::style(int descriptor) const {
  if (collected_) return {};
  const bool on_terminal = isatty(descriptor) == 1;
  const char *no_color = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  const bool can = on_terminal && (terminal == nullptr || std::string_view(terminal) != "dumb");
  const bool wanted = can && (no_color == nullptr || *no_color == '\0');
  return {color_ == ColorChoice::automatic ? wanted : color_ == ColorChoice::always,
          on_terminal ? columns_of(descriptor) : 0};
}

void Console::set_program(std::string_view word) {
  // Without a path the shell finds it by this word. Login shells begin with `-`.
  if (!word.empty() && word.front() != '-' && word != "memlane") program_ = shell_word(word);
}

std::string Console::with_commands(std::string text) const {
  return program_.empty() ? text : with_typed_commands(text, program_);
}

void Console::out(std::string_view text) {
  if (collected_) {
    *collected_ += text;
    return;
  }
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() && failure_ == 0) {
    failure_ = errno != 0 ? errno : EIO;
  }
}

void Console::print_error(std::string_view text) const {
  if (collected_) return;
  // Names in it are those of files and options, and may hold any byte.
  const std::string shown = escape_controls(with_commands(std::string(text)), "\n\t");
  // There is no other place to report a failure.
  [[maybe_unused]] const std::size_t written = std::fwrite(shown.data(), 1, shown.size(), stderr);
}

Exit Console::fail(const Diagnostics& errors, const Sources& sources) const {
  if (const Stop stop = stop_of(errors); stop != Stop::none) {
    const auto stopped = std::find_if(errors.begin(), errors.end(),
                                      [](const Diagnostic& d) { return d.stop != Stop::none; });
    print_error(
        fmt::format("{}\nreached: nothing yet: {}\n", sweep::stop_text(stop), stopped->message));
    return exit_after(stop);
  }
  print_error(render(errors, sources));
  return Exit::error;
}

Exit Console::finish(Exit exit) {
  errno = 0;
  if (std::fflush(stdout) != 0 && failure_ == 0) failure_ = errno != 0 ? errno : EIO;
  if (failure_ == 0) return exit;
  // The reader wants no more, as `head` does: end as a program without a handler does.
  struct sigaction pipe {};
  sigaction(SIGPIPE, nullptr, &pipe);
  if (failure_ == EPIPE && pipe.sa_handler != SIG_IGN) end_by_signal(SIGPIPE);
  print_error(fmt::format("error: cannot write to standard output: {}\n", std::strerror(failure_)));
  return Exit::error;
}

} // namespace memlane::cli
