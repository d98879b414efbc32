#include "progress.hpp"

#include "console.hpp"

#include "memlane/report/progress_text.hpp"
#include "memlane/support/text.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

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

ProgressLine::Text text_of_run(const RunProgress& progress) {
  using Clock = std::chrono::steady_clock;
  using Launch = std::pair<std::int64_t, std::int64_t>; // start of the run, launch
  return [&progress, begun = Clock::now(), launch = Launch(1, 0)]() mutable {
    const Clock::time_point now = Clock::now();
    const Launch current(progress.starts, progress.launches);
    if (std::exchange(launch, current) != current) begun = now;
    return progress_text(progress, std::chrono::duration<double>(now - begun).count());
  };
}

} // namespace memlane::cli
