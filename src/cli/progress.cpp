#include "progress.hpp"

#include "console.hpp"

#include "memlane/support/text.hpp"

#include <unistd.h>

#include <cstdio>

namespace memlane::cli {
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
  // A line that the terminal does not wrap; the window may change its size at any time.
  // Back to the line's begin, the text, and what is behind it erased (ECMA-48: CR, EL).
  std::fprintf(stderr, "\r%s\x1b[K", on_one_line(text_(), columns_of(STDERR_FILENO) - 1).c_str());
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
