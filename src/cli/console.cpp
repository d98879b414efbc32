#include "console.hpp"

#include "results.hpp"
#include "temporary_files.hpp"
#include "typed_commands.hpp"

#include "memlane/support/shell_words.hpp"
#include "memlane/support/utf8.hpp"
#include "memlane/sweep/point.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace memlane::cli {

std::size_t columns_of(int descriptor) {
  winsize size{};
  const bool known = ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col : std::size_t{80};
}

TableStyle Console::style() const {
  if (collected_) return {};
  const bool on_terminal = isatty(STDOUT_FILENO) == 1;
  const char* no_color = std::getenv("NO_COLOR");
  const bool wanted = on_terminal && (no_color == nullptr || *no_color == '\0');
  return {color_ == ColorChoice::automatic ? wanted : color_ == ColorChoice::always,
          on_terminal ? columns_of(STDOUT_FILENO) : 0};
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
    return stop == Stop::interrupted ? Exit::interrupted : Exit::limit;
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
