#include "progress.hpp"

#include "memlane/support/text.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace memlane::cli {
namespace {

/// Columns of a line that the terminal does not wrap; the window may change its size at any time.
std::size_t columns_of_terminal() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return (known ? size.ws_col : std::size_t{80}) - 1;
}

} // namespace

ProgressLine::ProgressLine(Text text)
    : text_(std::move(text)), terminal_(isatty(STDERR_FILENO) == 1),
      next_(Clock::now() + std::chrono::seconds(1)) {}

void ProgressLine::show() {
  if (!terminal_) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return; // another thread shows it
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  // Back to the line's begin, the text, and what is behind it erased (ECMA-48: CR, EL).
  std::fprintf(stderr, "\r%s\x1b[K", on_one_line(text_(), columns_of_terminal()).c_str());
  std::fflush(stderr);
  written_ = true;
}

void ProgressLine::show_with(Limits& limits) {
  if (!terminal_) return;
  limits.check = [this, check = limits.check] {
    show();
    return check ? check() : Stop::none;
  };
}

void ProgressLine::erase() {
  const std::lock_guard lock(mutex_);
  if (!written_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  written_ = false;
}

} // namespace memlane::cli
