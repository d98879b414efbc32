// One line on a terminal that says how far the work is.
#pragma once

#include <chrono>
#include <mutex>
#include <string_view>

namespace memlane::cli {

/// On a terminal, standard error has the last text that was shown, on one line that is overwritten;
/// elsewhere nothing is shown. The line is erased at the end. Any thread may call.
class ProgressLine {
public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool shown() const { return terminal_; }
  /// At most ten times a second; the texts between are not shown. Cut to what fits on a line.
  void show(std::string_view text);
  /// Before anything else is written to the terminal.
  void erase();

private:
  using Clock = std::chrono::steady_clock;
  std::mutex mutex_;
  bool terminal_ = false, written_ = false;
  Clock::time_point next_;
};

} // namespace memlane::cli
