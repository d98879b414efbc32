#include "progress.hpp"

#include "memlane/report/text_table.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace memlane::cli {

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1), next_(Clock::now()) {}

ProgressLine::~ProgressLine() { erase(); }

void ProgressLine::show(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (!terminal_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  // Back to the line's begin, the text, and what is behind it erased (ECMA-48: CR, EL).
  std::fprintf(stderr, "\r%s\x1b[K", on_one_line(text, 78).c_str());
  std::fflush(stderr);
  written_ = true;
}

void ProgressLine::erase() {
  const std::lock_guard lock(mutex_);
  if (!written_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  written_ = false;
}

} // namespace memlane::cli
