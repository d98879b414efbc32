// One line on a terminal that says how far the work is.
#pragma once

#include <chrono>
#include <string_view>

namespace memlane::cli {

/// Standard error, if it is a terminal, has the last text that was shown, on one line that is
/// written over; on anything else nothing is shown. The line is gone when this ends.
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
  bool terminal_ = false, written_ = false;
  Clock::time_point next_;
};

} // namespace memlane::cli
